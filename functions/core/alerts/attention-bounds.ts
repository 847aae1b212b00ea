/** Seconds. At most a weekend plus a day: what nobody has fixed by then is alerted again. */
export const attentionBounds = { least: 60, most: 72 * 3600 } as const;
