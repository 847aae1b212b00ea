import * as z from 'zod';
import { ifGiven } from '../text/if-given.ts';
import { count, hour, listOf, mapping, matching, minute, seconds, secret, type Values } from './fields.ts';
import { Window, windowProblems } from './window.ts';

/** Slots of all groups together: all that hold one are kept in one row of the table. */
export const lockSlotsAtMost = 1_000;

const { kind, schedule, durationSeconds, from, to, timeZone, description } = Window.shape;

/** When a machine may be given a slot: a window without a calendar. */
const LockWindow = mapping({ kind, schedule, durationSeconds, from, to, timeZone, description }).superRefine(
  (window, context) => {
    for (const { key, must } of windowProblems(window)) {
      context.addIssue({ code: 'custom', path: ifGiven(key), message: must });
    }
  },
);

const windows = listOf(LockWindow, 'must be a list of windows');

export const LockGroup = mapping({
  slots: count(1, lockSlotsAtMost).default(1).describe('How many machines of the group may be down at once.'),
  tokenSecret: secret('The token that stands in the base_url of the machines of this group'),
  expectedWithinSeconds: seconds(minute, 7 * 24 * hour)
    .default(hour)
    .describe('A machine that has its slot for longer is reported. Its slot is never freed without a person.'),
  windows: windows.default([]).describe('When its machines may be given a slot, beside those of all groups.'),
});
export type LockGroup = Values<typeof LockGroup>;

/** Machines outside OpenShift that ask by the FleetLock protocol before they reboot. */
export const FleetLock = mapping({
  atMost: count(1, lockSlotsAtMost)
    .optional()
    .describe(
      'How many machines of all groups together may be down at once. The last one is of a group that has none.',
    ),
  windows: windows.default([]).describe('When machines may be given a slot. Empty: always.'),
  groups: z
    .record(
      matching(/^[A-Za-z0-9.-]{1,100}$/, 'must be the name of a group: letters, digits, dots and dashes'),
      LockGroup,
      { error: 'must be a mapping of names to groups' },
    )
    .describe('Groups of machines by the name that they send; `default` is what Zincati sends by itself.'),
});
export type FleetLock = Values<typeof FleetLock>;
