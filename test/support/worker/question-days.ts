const at = (year: number, month: number, day: number) =>
  new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);

/** Days in Brasília, counted from a day. @param today as `frescor` names it */
export const daysFrom = (today: string) => {
  const [year, month, date] = today.split("-").map(Number) as [number, number, number];
  const day = (days: number) => at(year, month - 1, date + days);
  const dayOfMonth = (months: number, days = 0) => at(year, month - 1 + months, 1 + days);
  return {
    day,
    startOf: (days: number) => `${day(days)}T00:00:00-03:00`,
    endOf: (days: number) => `${day(days)}T23:59:59.999999-03:00`,
    /** The first instant of a month, counted from this one, and some days later. */
    startOfMonth: (months: number, days = 0) => `${dayOfMonth(months, days)}T00:00:00-03:00`,
    /** The last instant of a day of a month: of the last of the month before, without days. */
    endOfMonth: (months: number, days = -1) => `${dayOfMonth(months, days)}T23:59:59.999999-03:00`,
  };
};
