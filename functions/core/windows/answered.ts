/** Instants whose answers are kept for a schedule. A deny window of 20 pools, each of which looks for an opening in a
 *  year of days, is asked at some 13,000, and at few others in the next pass. Where they have no room, every pass asks
 *  anew: five pools take a second of CPU. */
const answersKept = 20_000;

/** An answer that is asked for once, as long as there is room. */
export function answered(known: Map<number, number | undefined>, at: number, ask: () => number | undefined) {
  if (known.has(at)) return known.get(at);
  if (known.size >= answersKept) known.clear();
  const answer = ask();
  known.set(at, answer);
  return answer;
}
