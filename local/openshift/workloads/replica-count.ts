/** An absolute number or a share of `whole`, as workloads and budgets give it. Percentages are rounded up, as
 *  budgets round them. */
export function scaled(value: number | string, whole: number): number {
  const percent = /^(\d+)%$/.exec(String(value));
  return percent ? Math.ceil((Number(percent[1]) * whole) / 100) : Number(value);
}
