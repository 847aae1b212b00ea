import type { Incident } from '../../functions/core/alerts/incident.ts';
import { slackMessage } from '../../functions/core/alerts/message/slack.ts';
import { slackPage } from '../functions/core/alerts/slack-page.ts';
import { runLab } from '../functions/keep-pools/run-lab.ts';
import { sceneNow } from './scenes.ts';

/** The one message of a run with `tellProgress`. */
export const runMessage = {
  name: 'run-under-way',
  title: 'How far a run is, node by node',
  words:
    'One message for each run, where it has `tellProgress: true`: here when the first of three nodes was done, and as it ended. Both are the same message, edited.',
} as const;

/** The message as it was half way and at the end of a run that was played on the simulated cluster. */
export async function runMessages(): Promise<{ readonly halfWay: Incident; readonly ended: Incident }> {
  const lab = await runLab({ run: { tellProgress: true } });
  try {
    const message = () => lab.lab.world.tables.incidents.all().find(({ key }) => key.kind === 'run-under-way');
    await lab.tick();
    await lab.change();
    let halfWay = message();
    await lab.until(() => {
      halfWay = message();
      return halfWay?.trouble?.headline.includes(': 1 of 3 nodes done') === true;
    });
    await lab.until(() => message()?.state === 'ok');
    const ended = message();
    if (halfWay === undefined || ended === undefined) throw new Error('the run has no message');
    return { halfWay, ended };
  } finally {
    await lab.stop();
  }
}

/** Both in one channel, as an imitation of Slack shows them. */
export async function runMessagePage(context: Parameters<typeof slackMessage>[1]): Promise<string> {
  const { halfWay, ended } = await runMessages();
  return slackPage(
    [halfWay, ended].map((incident) => {
      const now = new Date(incident.resolvedAt ?? incident.lastEditAt ?? sceneNow);
      const occasion = incident.state === 'ok' ? 'resolved' : 'refreshed';
      return { blocks: slackMessage(incident, { ...context, now, occasion }).blocks, thread: false };
    }),
  );
}
