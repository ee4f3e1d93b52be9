/** Returns the moment at which a card expires: the end of the month printed on it, as `27` or `2027`. */
export function cardExpiryDate(year: number, month: number): Date {
  return new Date(Date.UTC(year < 100 ? 2000 + year : year, month))
}
