// Files with their paths, from a drop or a file dialog; folders are listed recursively.

export interface Given {
  /** Path within what was dropped, with slashes. */
  path: string;
  file: File;
}

/** Dropped files and folders, the folders not yet listed. */
export interface Dropped {
  entries: FileSystemEntry[];
  files: File[];
}

export class TooMany extends Error {}

const MOST_ENTRIES = 20_000; // beyond which a folder is refused
const MOST_DEPTH = 20; // of folders in folders

/** What was dropped. Call it during the event: the browser clears the data afterwards. */
export function droppedIn(moved: DataTransfer | null): Dropped {
  const dropped: Dropped = { entries: [], files: [] };
  for (const item of moved?.items ?? []) {
    if (item.kind !== "file") continue;
    const entry = item.webkitGetAsEntry?.() ?? null;
    if (entry?.isDirectory) dropped.entries.push(entry);
    else {
      const file = item.getAsFile();
      if (file) dropped.files.push(file);
    }
  }
  return dropped;
}

/** All dropped files; of those in folders only the ones that `wanted` accepts. */
export async function filesIn(dropped: Dropped, wanted: (name: string) => boolean): Promise<Given[]> {
  const found = dropped.files.map((file) => ({ path: file.name, file }));
  let seen = 0;
  const walk = async (entry: FileSystemEntry, path: string, depth: number): Promise<void> => {
    seen += 1;
    if (seen > MOST_ENTRIES) throw new TooMany();
    if (entry.isFile) {
      if (wanted(entry.name)) found.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    } else if (depth < MOST_DEPTH) {
      const inside = (await entriesIn(entry as FileSystemDirectoryEntry)).filter(({ name }) => !hidden(name));
      for (const one of inside) await walk(one, `${path}/${one.name}`, depth + 1);
    }
  };
  for (const entry of dropped.entries) await walk(entry, entry.name, 0);
  return found;
}

/** The files of a chosen folder that `wanted` accepts. */
export function chosenIn(files: File[], wanted: (name: string) => boolean): Given[] {
  if (files.length > MOST_ENTRIES) throw new TooMany();
  return files
    .map((file) => ({ path: file.webkitRelativePath || file.name, file }))
    .filter(({ path, file }) => wanted(file.name) && !path.split("/").some(hidden));
}

const hidden = (name: string) => name.startsWith(".");

const fileOf = (entry: FileSystemFileEntry) => new Promise<File>((resolve, reject) => entry.file(resolve, reject));

/** All entries of a folder. The browser returns them in batches; the last one is empty. */
async function entriesIn(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return all;
    all.push(...some);
    if (all.length > MOST_ENTRIES) throw new TooMany();
  }
}
