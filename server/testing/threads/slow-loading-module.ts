/** A module that takes longer to load than the deadline of its test, as on a busy machine. */
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1200)

export const half = (value: number) => value / 2
