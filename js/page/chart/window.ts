// A window on a range of time: moved and scaled by hand, key or button, never beyond the range.

/** The shown part of a range, in ms since 1970. */
export class Span {
  from: number;
  to: number;
  readonly first: number;
  readonly last: number;
  private readonly least: number;

  constructor(first: number, last: number, least: number) {
    this.first = this.from = first;
    this.last = this.to = last;
    this.least = Math.min(least, last - first);
  }

  /** Whether all is shown. */
  get whole(): boolean {
    return this.from <= this.first && this.to >= this.last;
  }

  /** Shows from one instant to another, as far as the range goes. */
  show(from: number, to: number): void {
    const length = Math.min(Math.max(to - from, this.least), this.last - this.first);
    const middle = (from + to) / 2;
    this.from = Math.min(Math.max(middle - length / 2, this.first), this.last - length);
    this.to = this.from + length;
  }

  /** Moves by a share of what is shown. */
  pan(share: number): void {
    this.move(share * (this.to - this.from));
  }

  /** Moves by ms. */
  move(by: number): void {
    const length = this.to - this.from;
    this.from = Math.min(Math.max(this.from + by, this.first), this.last - length); // ±Infinity: to the end
    this.to = this.from + length;
  }

  /** Scales around an instant: below 1 shows less. */
  zoom(factor: number, around = (this.from + this.to) / 2): void {
    const length = Math.min(Math.max((this.to - this.from) * factor, this.least), this.last - this.first);
    const share = (around - this.from) / (this.to - this.from);
    this.from = Math.min(Math.max(around - share * length, this.first), this.last - length);
    this.to = this.from + length;
  }

  /** Shows all. */
  reset(): void {
    this.from = this.first;
    this.to = this.last;
  }
}
