/** A module that takes longer to load than the deadline of its test, as on a busy machine. */
const until = Date.now() + 300
while (Date.now() < until);

export const half = (value: number) => value / 2
