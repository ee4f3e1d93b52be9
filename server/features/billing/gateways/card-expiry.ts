/** Returns the time at which a card expires: the end of the printed month. `year` has two or four digits. */
export function cardExpiryDate(year: number, month: number): Date {
  return new Date(Date.UTC(year < 100 ? 2000 + year : year, month))
}
