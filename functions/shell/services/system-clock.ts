/** The time of this machine. Read where it is needed, once per request or pass; never at module load, because a
 *  container lives for hours. */
export function systemClock(): Date {
  return new Date();
}
