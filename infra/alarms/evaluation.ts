import { Duration } from 'aws-cdk-lib';

export const oneMinute = Duration.minutes(1);
export const fiveMinutes = Duration.minutes(5);
export const quarterHour = Duration.minutes(15);
export const oneHour = Duration.hours(1);

/** One breaching period is enough. */
export const once = { periods: 1, of: 1 } as const;

/** Two of three periods of five minutes: one hiccup at a cold start wakes nobody, ten bad minutes do. */
export const persistently = { periods: 2, of: 3 } as const;
