// A video of the stage: every frame that is drawn, over the page's background, as WebM.

import { download } from "../io/download";

const FRAME_RATE = 30; // [Hz]
const BIT_RATE = 8_000_000; // [bit/s]
const KINDS = ["video/webm;codecs=vp9", "video/webm;codecs=vp8", "video/webm"];

export class Video {
  private readonly copy = document.createElement("canvas");
  private recorder: MediaRecorder | null = null;
  private timer = 0;

  /** `changed` is called when recording begins or ends. */
  constructor(private readonly changed: (recording: boolean) => void) {}

  get recording(): boolean {
    return this.recorder !== null;
  }

  /** Begin to record a canvas; ends after some seconds, or with `stop`. */
  start(canvas: HTMLCanvasElement, seconds: number): void {
    if (this.recorder) return;
    const type = KINDS.find((kind) => window.MediaRecorder?.isTypeSupported(kind));
    if (!type) throw new Error("this browser cannot record WebM");
    this.copy.width = canvas.width;
    this.copy.height = canvas.height;
    this.take(canvas);
    const recorder = new MediaRecorder(this.copy.captureStream(FRAME_RATE), { mimeType: type, videoBitsPerSecond: BIT_RATE });
    const parts: Blob[] = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    recorder.onstop = () => {
      this.recorder = null;
      this.changed(false);
      download("supple.webm", new Blob(parts, { type: "video/webm" }));
    };
    this.recorder = recorder;
    recorder.start();
    this.timer = window.setTimeout(() => this.stop(), 1000 * seconds);
    this.changed(true);
  }

  stop(): void {
    window.clearTimeout(this.timer);
    if (this.recorder?.state === "recording") this.recorder.stop();
  }

  /** Take a frame, just after it has been drawn. */
  take(canvas: HTMLCanvasElement): void {
    const pen = this.copy.getContext("2d");
    if (!pen) return;
    const style = getComputedStyle(document.documentElement);
    const fill = pen.createLinearGradient(0, 0, 0, this.copy.height);
    ["--sky", "--floor"].forEach((name, k) => fill.addColorStop(k, style.getPropertyValue(name).trim()));
    pen.fillStyle = fill;
    pen.fillRect(0, 0, this.copy.width, this.copy.height);
    pen.drawImage(canvas, 0, 0, this.copy.width, this.copy.height);
  }
}
