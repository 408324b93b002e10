// The error after each iteration on a logarithmic scale; a click shows the iteration.

import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

const PLOT_HEIGHT = 110; // [pixels]
const LEAST_ERROR = 1e-12; // smaller errors are drawn as this
const MOST_GRID_LINES = 6; // of the logarithmic axis

/** Keep the powers of ten among a logarithmic axis's lines, thinned out to fit. */
const powers = (_: uPlot, splits: number[]) => {
  const all = splits.map((value) => Math.log10(value));
  const apart = Math.ceil((Math.max(...all) - Math.min(...all)) / MOST_GRID_LINES) || 1;
  return splits.map((value, k) => {
    const power = Math.round(all[k]!);
    return Math.abs(all[k]! - power) < 1e-6 && power % apart === 0 ? value : null;
  });
};

/** A power of ten as a person reads it: 0.01, 1, 100; small and large ones with a raised exponent. */
function powerText(value: number): string {
  const power = Math.round(Math.log10(value));
  if (power >= -3 && power <= 4) return String(Number(value.toPrecision(1)));
  return `10${String(power).replace(/[-\d]/g, (digit) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(digit)]!)}`;
}

export class ErrorPlot {
  private chart: uPlot | null = null;
  private at = 0;

  constructor(
    private readonly box: HTMLElement,
    private readonly onPick: (iteration: number) => void,
  ) {
    new ResizeObserver(() => this.resize()).observe(box);
  }

  show(errors: Float32Array, tolerance: number): void {
    this.chart?.destroy();
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue("--soft").trim();
    const faint = style.getPropertyValue("--faint").trim();
    const axis = { stroke: ink, grid: { stroke: faint, width: 1 }, ticks: { stroke: faint, width: 1 }, font: "11px system-ui" };
    const x = Array.from(errors, (_, k) => k);
    const y = Array.from(errors, (error) => Math.max(error, LEAST_ERROR));
    const chart = new uPlot(
      {
        width: Math.max(this.box.clientWidth, 120),
        height: PLOT_HEIGHT,
        legend: { show: false },
        cursor: { points: { show: false }, drag: { x: false, y: false } },
        scales: { x: { time: false, range: [0, Math.max(errors.length - 1, 1)] }, y: { distr: 3 } },
        axes: [
          { ...axis, size: 26, values: (_, ticks) => ticks.map((tick) => (Number.isInteger(tick) ? String(tick) : "")) },
          {
            ...axis,
            size: 50,
            space: 26,
            filter: powers,
            grid: { ...axis.grid, filter: powers },
            ticks: { ...axis.ticks, filter: powers },
            values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : powerText(tick))),
          },
        ],
        series: [
          {},
          { stroke: "#59b8ee", width: 2, points: { show: errors.length < 40, size: 5 } },
          { stroke: "#3fbf7f", width: 1, dash: [4, 4], points: { show: false } },
        ],
        hooks: { draw: [(plot) => this.mark(plot)] },
      },
      [x, y, y.map(() => Math.max(tolerance, LEAST_ERROR))],
      this.box,
    );
    chart.over.addEventListener("click", () => {
      const { idx } = chart.cursor;
      if (idx !== null && idx !== undefined) this.onPick(idx);
    });
    this.chart = chart;
  }

  /** Mark an iteration. */
  point(iteration: number): void {
    this.at = iteration;
    this.chart?.redraw(false, false);
  }

  clear(): void {
    this.chart?.destroy();
    this.chart = null;
  }

  private mark(plot: uPlot): void {
    const x = plot.valToPos(this.at, "x", true);
    plot.ctx.save();
    plot.ctx.strokeStyle = "#ff8a1f";
    plot.ctx.lineWidth = 2;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, plot.bbox.top);
    plot.ctx.lineTo(x, plot.bbox.top + plot.bbox.height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  private resize(): void {
    if (this.chart && this.box.clientWidth > 0) this.chart.setSize({ width: this.box.clientWidth, height: PLOT_HEIGHT });
  }
}
