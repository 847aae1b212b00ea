import type { MetricAlarm } from '../constructs/alarms.ts';
import type { Entry } from '../constructs/poolkeeper-function.ts';
import type { Resources } from '../resources.ts';
import { fiveMinutes, persistently } from './evaluation.ts';

/** One alarm for each function whose invocations fail. */
export function functionErrorAlarms({ functions }: Resources): readonly MetricAlarm[] {
  return Object.values(functions).map((fn) => ({
    kind: 'metric',
    name: `${fn.entry}-errors`,
    ...impactOfErrors[fn.entry],
    metric: fn.errors(fiveMinutes),
    breach: { above: 0 },
    ...persistently,
    missingData: 'fine',
  }));
}

const impactOfErrors: Readonly<Record<Entry, Pick<MetricAlarm, 'impact' | 'urgency'>>> = {
  'receive-github': {
    impact:
      'Pushes are not received, so pools are paused only once their sync is running: its first nodes may reboot during it.',
    urgency: 'urgent',
  },
  'receive-argocd': {
    impact:
      'Syncs are seen up to a minute late: nodes may reboot in their first minute, and pools resume a minute later.',
    urgency: 'urgent',
  },
  'receive-cluster': {
    impact: 'Degraded pools and alerts of the cluster are noticed only by the next tick, up to a minute later.',
    urgency: 'soon',
  },
  'receive-slack': {
    impact:
      'The buttons of messages do nothing: nobody can acknowledge, snooze or approve in Slack; the command line still can.',
    urgency: 'soon',
  },
  handshake: {
    impact: 'Syncs that wait for the confirmed pause in a PreSync Job do not begin, or fail.',
    urgency: 'urgent',
  },
  'fleet-lock': {
    impact:
      'Machines outside OpenShift get no answer: none of them reboots into an update, and none that has done so lets the next one go.',
    urgency: 'soon',
  },
  'receive-callback': {
    impact:
      'Answers to the events of rules are not taken: the turns of their nodes wait, and fail when their time is over.',
    urgency: 'soon',
  },
  'keep-pools': {
    impact: 'Pools are neither paused nor resumed: nodes may reboot during a sync, and paused pools get no updates.',
    urgency: 'urgent',
  },
  'send-alerts': {
    impact: 'Nobody hears of degraded, stuck or forgotten pools.',
    urgency: 'urgent',
  },
  status: {
    impact: 'The page that shows who holds which pool, and why, does not load.',
    urgency: 'soon',
  },
  'watch-ticks': {
    impact: 'Nothing checks any more that every cluster is looked at: if the ticks stop, that is noticed late.',
    urgency: 'soon',
  },
  redeliver: {
    impact: 'Pushes that GitHub could not deliver are not requested again: the sweep finds their syncs minutes late.',
    urgency: 'soon',
  },
  'relay-pushes': {
    impact:
      'Argo CD hears of no push: its Applications follow Git only by polling, and polling does not wait for a pause.',
    urgency: 'soon',
  },
  'preview-changes': {
    impact: 'Pull requests are not told what they would do to nodes; a check that is required by name keeps them open.',
    urgency: 'soon',
  },
};
