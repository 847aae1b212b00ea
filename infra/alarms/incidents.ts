import type { EventAlarm } from '../constructs/alarms.ts';

/** Incidents about Poolkeeper itself, where the part that would send the alert may be the one that failed. */
export const incidentAlarms: readonly EventAlarm[] = [
  {
    kind: 'event',
    name: 'cluster-out-of-sight',
    impact: 'This cluster is neither protected nor watched: its pools stay as they are, paused ones paused.',
    urgency: 'urgent',
    pattern: incidentOpened('watcher-blind'),
  },
  {
    kind: 'event',
    name: 'alerts-not-delivered',
    impact: 'A channel or mailbox does not get its messages; only the status page shows what is wrong with the pools.',
    urgency: 'urgent',
    pattern: incidentOpened('notify-failing'),
  },
  {
    kind: 'event',
    name: 'pool-paused-too-long',
    impact: 'The pool gets no configuration, no pull secret and no update as long as it stays paused.',
    urgency: 'soon',
    pattern: incidentOpened('paused-too-long'),
  },
];

function incidentOpened(kind: string): EventAlarm['pattern'] {
  return {
    source: ['poolkeeper'],
    detailType: ['poolkeeper.incident.opened.v1'],
    detail: { data: { kind: [kind] } },
  };
}
