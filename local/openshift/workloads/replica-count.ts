/** A number of pods, from an absolute number or a percentage of `whole`. Percentages are rounded up, as for budgets. */
export function scaled(value: number | string, whole: number): number {
  const percent = /^(\d+)%$/.exec(String(value));
  return percent ? Math.ceil((Number(percent[1]) * whole) / 100) : Number(value);
}
