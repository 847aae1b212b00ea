/** Seconds. Every hold ends; a week is longer than certificate rotation should wait. */
export const holdBounds = { least: 60, most: 168 * 3600 } as const;

/** Seconds. A freeze of the end of the year is six weeks; a longer one belongs into the windows. */
export const freezeBounds = { least: 60, most: 60 * 24 * 3600 } as const;

/** Seconds. A day: what is an emergency for longer is none. */
export const emergencyBounds = { least: 60, most: 24 * 3600 } as const;

/** Seconds: until somebody with a terminal is there. */
export const freezeHereBounds = { least: 60, most: 24 * 3600 } as const;
