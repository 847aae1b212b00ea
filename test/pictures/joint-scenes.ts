import type { Incident } from '../../functions/core/alerts/incident.ts';
import type { JointContent } from '../../functions/core/alerts/message/slack-joint.ts';
import { incidentOf } from './incident-of.ts';
import { sceneNow, scenes } from './scenes.ts';

/** Several incidents whose common message is drawn; its texts are the product's as well. */
export interface JointScene {
  readonly name: string;
  readonly title: string;
  /** What the page says of it. */
  readonly words: string;
  content(): Promise<Pick<JointContent, 'why' | 'members' | 'hasOneCause'>>;
}

function sceneOf(name: string) {
  const found = scenes.find((scene) => scene.name === name);
  if (found === undefined) throw new Error(`there is no scene ${name}`);
  return found;
}

function onCluster(incident: Incident, cluster: string): Incident {
  const { trouble } = incident;
  return {
    ...incident,
    key: { ...incident.key, cluster },
    trouble: trouble && { ...trouble, key: { ...trouble.key, cluster } },
  };
}

function takenBy(incident: Incident, by: string): Incident {
  const at = sceneNow.toISOString();
  const until = new Date(sceneNow.getTime() + 4 * 3_600_000).toISOString();
  const digest = incident.trouble?.digest ?? '';
  const severity = incident.trouble?.severity ?? 'high';
  return {
    ...incident,
    attention: { kind: 'acknowledged', by, reason: '', at, until, severity, digest, warned: false },
  };
}

function over(incident: Incident): Incident {
  const endedBy = 'the budget shop/web allowed a disruption again.';
  return { ...incident, state: 'ok', resolvedAt: sceneNow.toISOString(), outcome: 'fixed', endedBy };
}

const fleet: JointScene = {
  name: 'fleet',
  title: 'One cause on three clusters',
  words:
    'The incident of the second cluster joined the message of the first, and so did that of the third. Somebody has taken one of them.',
  async content() {
    const incident = await incidentOf(sceneOf('image-pull'), 1501);
    const clusters = ['prod-eu-1', 'prod-eu-2', 'prod-us-1'].map((cluster, index) => ({
      ...onCluster(incident, cluster),
      number: incident.number + index,
    }));
    const members = clusters.map((each, index) => (index === 1 ? takenBy(each, 'anna') : each));
    return { why: 'fleet', hasOneCause: true, members };
  },
};

const many: JointScene = {
  name: 'many',
  title: 'Seven alerts at once',
  words: 'One look at a cluster found all of them; one is over since.',
  async content() {
    const names = [
      'budget-without-spare',
      'self-deadlock',
      'config-drift',
      'cannot-render',
      'lost-after-reboot',
      'cordoned-by-hand',
      'sync-failed',
    ];
    const members = await Promise.all(names.map((name, index) => incidentOf(sceneOf(name), 1511 + index)));
    return {
      why: 'many',
      hasOneCause: false,
      members: members.map((each, index) => (index === 0 ? over(each) : each)),
    };
  },
};

export const jointScenes: readonly JointScene[] = [fleet, many];
