import type { Course, Place } from './course.ts';

const place: Place = 'worker';
const began = { act: { kind: 'begin', place }, minutes: 2 } as const;

/** Courses in which something was not told once, or would not be if one of the rules was left out. */
export const once: readonly Course[] = [
  // A severity is back at the look at which the channel of the lead joins, of an incident that flaps.
  {
    targets: ['pager', 'team', 'lead'],
    steps: [
      began,
      { act: { kind: 'flap', place: 'infra', times: 5, minutes: 2 }, minutes: 11 },
      { act: { kind: 'severity', place: 'infra', severity: 'info' }, minutes: 3 },
      { act: { kind: 'severity', place: 'infra', severity: 'warning' }, minutes: 8 },
    ],
  },
  // The team joins by a cause that is new to all, while all others are gone.
  {
    targets: ['team', 'lead'],
    steps: [
      began,
      { act: { kind: 'severity', place, severity: 'critical' }, minutes: 14 },
      { act: { kind: 'cause', place, cause: 'bank' }, minutes: 34 },
      { act: { kind: 'turns', place, times: 3, minutes: 3 }, minutes: 41 },
    ],
  },
  // It is worse than what somebody has taken.
  {
    targets: ['channel', 'mail'],
    steps: [
      began,
      { act: { kind: 'acknowledge', place }, minutes: 20 },
      { act: { kind: 'severity', place, severity: 'critical' }, minutes: 20 },
    ],
  },
  // A severity that all were told of is back while it flaps.
  {
    targets: ['channel', 'pager'],
    steps: [
      began,
      { act: { kind: 'flap', place, times: 4, minutes: 1 }, minutes: 2 },
      { act: { kind: 'swing', place, severity: 'critical', times: 1, minutes: 4 }, minutes: 1 },
      { act: { kind: 'severity', place, severity: 'critical' }, minutes: 20 },
    ],
  },
  // Two owners when it opens, of whom the pager named the first.
  {
    targets: ['mail', 'pager'],
    steps: [
      began,
      { act: { kind: 'cause', place: 'dev', cause: 'bank' }, minutes: 1 },
      { act: { kind: 'flap', place: 'dev', times: 1, minutes: 1 }, minutes: 20 },
    ],
  },
  // Back in a list, with two to blame of whom the list shows neither.
  {
    targets: ['channel'],
    steps: [
      began,
      { act: { kind: 'begin', place: 'dev' }, minutes: 1 },
      { act: { kind: 'cause', place: 'dev', cause: 'bank' }, minutes: 1 },
      { act: { kind: 'flap', place: 'dev', times: 1, minutes: 7 }, minutes: 20 },
    ],
  },
  // Who joined is gone when a webhook that has no thread hears of it first, as what is sent takes long, and is back.
  {
    targets: ['mail', 'team'],
    steps: [
      began,
      { act: { kind: 'slow' }, minutes: 5 },
      { act: { kind: 'blind' }, minutes: 1 },
      { act: { kind: 'turns', place, times: 2, minutes: 1 }, minutes: 5 },
      { act: { kind: 'cause', place, cause: 'store' }, minutes: 1 },
      { act: { kind: 'blind' }, minutes: 1 },
      { act: { kind: 'turns', place, times: 2, minutes: 11 }, minutes: 5 },
      { act: { kind: 'severity', place, severity: 'warning' }, minutes: 1 },
    ],
  },
  // Who joined is gone when the channel of the lead is told.
  {
    targets: ['lead'],
    steps: [began, { act: { kind: 'turns', place, times: 1, minutes: 3 }, minutes: 1 }],
  },
  // The same in a list.
  {
    targets: ['lead'],
    steps: [
      began,
      { act: { kind: 'begin', place: 'dev' }, minutes: 1 },
      { act: { kind: 'turns', place: 'dev', times: 1, minutes: 11 }, minutes: 1 },
    ],
  },
  // What the message of the lead was posted with is gone later.
  {
    targets: ['lead'],
    steps: [
      began,
      { act: { kind: 'wait' }, minutes: 60 },
      { act: { kind: 'cause', place, cause: 'store' }, minutes: 1 },
      { act: { kind: 'cause', place, cause: 'shop' }, minutes: 1 },
    ],
  },
];
