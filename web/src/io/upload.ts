// Uploading files to Python, which reads them.

import { address } from "./connection";
import type { Given } from "./folders";

/** The server's answer to an upload. */
export interface Answer {
  /** The upload's folder on the server. */
  into?: string;
  scene?: string;
  /** Models to choose from, where there are several. */
  choose?: string[];
  error?: string;
}

/** Largest upload in bytes and files, and the file endings that are read. */
export interface UploadLimits {
  bytes: number;
  files: number;
  formats: readonly string[];
}

/** Endings of the files that models refer to. */
const BESIDE = [".bin", ".png", ".jpg", ".jpeg", ".webp", ".ktx2", ".tga", ".bmp", ".stl", ".obj", ".ply", ".mtl", ".vta"];

/** File endings of models and of what they refer to. */
export function endings({ formats }: UploadLimits): string[] {
  return [...formats, ...BESIDE];
}

/** Why files cannot be uploaded; "" if they can. */
export function refusal(title: string, files: Given[], limits: UploadLimits): string {
  const limit = limits.bytes;
  const large = files.find(({ file }) => file.size > limit);
  if (large) {
    return `${large.file.name} has ${megabytes(large.file.size)} MB; files of more than ${megabytes(limit)} MB are not accepted.`;
  }
  const size = files.reduce((sum, { file }) => sum + file.size, 0);
  if (size > limit) return `${title} has ${megabytes(size)} MB of models and images; more than ${megabytes(limit)} MB are not accepted.`;
  if (files.length > limits.files) {
    return `${title} holds ${files.length} models and images; more than ${limits.files} at once are not accepted.`;
  }
  if (!files.length) return `${title} holds nothing that can be opened: expected a file ending in ${limits.formats.join(", ")}.`;
  return "";
}

/**
 * Upload files one after the other into one folder.
 *
 * `progress` is called before each file with its index; the upload stops, and null is returned, once it returns false.
 */
export async function upload(files: Given[], progress: (index: number) => boolean): Promise<Answer | null> {
  let answer: Answer = {};
  for (const [k, { path, file }] of files.entries()) {
    if (!progress(k)) return null;
    const query: Record<string, string> = { name: path };
    if (answer.into) query.into = answer.into;
    if (k === files.length - 1) query.last = "1";
    answer = await post(query, file);
    if (answer.error) break;
  }
  return answer;
}

/** Open one of the models of an upload. */
export function openModel(into: string, name: string): Promise<Answer> {
  return post({ into, open: name }, null);
}

async function post(query: Record<string, string>, body: File | null): Promise<Answer> {
  const answer = await fetch(address("/upload", query), { method: "POST", body });
  return (await answer.json()) as Answer;
}

const megabytes = (bytes: number) => Math.round(bytes / 2 ** 20);
