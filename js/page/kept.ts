/** A value that is made once, and anew by the next who asks where that failed. */
export class Kept<T> {
  private readonly make: () => Promise<T>;
  private held: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.make = make;
  }

  /** The value. */
  get(): Promise<T> {
    if (this.held) return this.held;
    const held = this.make();
    this.held = held;
    held.catch(() => this.forget(held));
    return held;
  }

  /** Makes it anew next time: it turned out to be wrong. */
  forget(which = this.held): void {
    if (this.held === which) this.held = undefined;
  }
}
