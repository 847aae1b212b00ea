import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { close, listen } from '../../cluster/harness/loopback.ts';
import { type SlackCall, type SlackMessage, startSlack } from '../../fakes/slack-server.ts';
import { slackChannel } from './configuration.ts';
import { type Door, startDoor } from './door-before-api-server.ts';

/** What the tests' process asks of the stand-ins, which live as long as the whole run. */
export interface StandIns {
  /** Base URL of Slack's Web API, for the deployed functions. */
  readonly slackApiUrl: string;
  /** URL of the API server through the door. */
  readonly apiServerUrl: string;
  /** Where {@link askStandIns} asks. */
  readonly controlUrl: string;
}

export interface SlackState {
  readonly messages: readonly SlackMessage[];
  readonly calls: readonly SlackCall[];
}

/** Slack, and the door before the API server. */
export async function startStandIns(server: string): Promise<StandIns & { readonly stop: () => Promise<void> }> {
  const slack = await startSlack();
  slack.channels.set(slackChannel, 'open');
  const door = await startDoor(server);
  const control = createServer((request, response) => {
    void text(request).then(() => {
      const answer = obey(`${request.method} ${request.url}`, { slack, door });
      response
        .writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' })
        .end(JSON.stringify(answer ?? {}));
    });
  });
  const port = await listen(control);
  return {
    slackApiUrl: slack.apiUrl,
    apiServerUrl: door.url,
    controlUrl: `http://127.0.0.1:${port}`,
    stop: async () => {
      await close(control);
      await door.stop();
      await slack.close();
    },
  };
}

function obey(order: string, { slack, door }: { readonly slack: SlackState; readonly door: Door }): unknown {
  switch (order) {
    case 'GET /slack':
      return { messages: slack.messages, calls: slack.calls };
    case 'POST /door/shut':
      door.shut();
      return {};
    case 'POST /door/hold':
      door.hold();
      return {};
    case 'POST /door/open':
      door.open();
      return {};
    default:
      return undefined;
  }
}

export interface AskStandIns {
  readonly slack: () => Promise<SlackState>;
  readonly shutDoor: () => Promise<void>;
  readonly holdDoor: () => Promise<void>;
  readonly openDoor: () => Promise<void>;
}

export function askStandIns(controlUrl: string): AskStandIns {
  const order = async (path: string) => {
    await (await fetch(`${controlUrl}${path}`, { method: 'POST' })).arrayBuffer();
  };
  return {
    slack: async () => (await fetch(`${controlUrl}/slack`)).json() as Promise<SlackState>,
    shutDoor: () => order('/door/shut'),
    holdDoor: () => order('/door/hold'),
    openDoor: () => order('/door/open'),
  };
}
