/** Own limits, well below Slack's: the sum of all blocks is limited to about 13,200 characters, which is documented
 *  nowhere. */
export const slackBudget = {
  blocks: 14,
  total: 8000,
  text: 150,
  header: 150,
  section: 2800,
  field: 300,
  plain: 1000,
} as const;

export function scaled(limit: number, scale: number): number {
  return Math.floor(limit * scale);
}
