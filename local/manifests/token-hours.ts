/** Hours. The life of a token unless configured otherwise; it is renewed after half of that. */
export const defaultTokenHours = 24;
