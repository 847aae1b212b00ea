import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { Incident } from '../../../../functions/core/alerts/incident.ts';
import type { ShownRun } from '../../../../functions/core/node-turns/shown-run.ts';
import { Transient } from '../../../../functions/core/text/errors.ts';
import type { ClusterView } from '../../../../functions/core/timeline/view.ts';
import { liveSecret } from '../../../../functions/shell/live-secret.ts';
import type { ShownConfiguration } from '../../../../functions/status/build-status.ts';
import { statusOf } from '../../../../functions/status/status-of.ts';
import { runCommand } from '../../../../local/cli/run-command.ts';
import { fakeIds, fakeTables } from '../../../fakes/index.ts';

const now = new Date('2026-03-02T10:24:30.000Z');

/** What a running Poolkeeper knows at each time that it is asked; the last stays. */
export interface Known {
  readonly views?: readonly ClusterView[];
  readonly incidents?: readonly Incident[];
  readonly runs?: readonly ShownRun[];
  readonly configuration?: ShownConfiguration;
  /** Incidents cannot be read. */
  readonly isPartUnread?: boolean;
}

/** The real status function with the token `status-token`, asked over HTTP. */
export async function serveStatus(...states: readonly Known[]): Promise<string> {
  let asked = 0;
  const server = createServer(async (request, response) => {
    const state = states[Math.min(asked, states.length - 1)] ?? {};
    asked += 1;
    const tables = fakeTables();
    const handle = statusOf({
      ...tables,
      views: { list: async () => state.views ?? [] },
      incidents: {
        list: async () => {
          if (state.isPartUnread === true) throw new Error('the table does not answer');
          return state.incidents ?? [];
        },
      },
      runViews: { list: async () => state.runs ?? [] },
      configuration: state.configuration,
      newId: fakeIds(),
      // Each answer comes five seconds after the one before.
      clock: () => new Date(now.getTime() + (asked - 1) * 5_000),
      token: liveSecret({ secrets: { read: async () => ['status-token'] }, secret: 'status', clock: () => now }),
    });
    const { accept = '', authorization = '' } = request.headers;
    const answer = await handle(new Request(`http://localhost${request.url}`, { headers: { accept, authorization } }));
    response.writeHead(answer.status).end(await answer.text());
  });
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Runs a command line against it; each wait moves the clock.
 *  @param waits after so many, what waits is ended as by Ctrl-C */
export async function ask(url: string, args: readonly string[], waits = Number.POSITIVE_INFINITY) {
  const said: string[] = [];
  const noted: string[] = [];
  let at = now.getTime();
  let left = waits;
  const status = await runCommand(args, {
    out: (text) => said.push(text),
    note: (text) => noted.push(text),
    environment: { POOLKEEPER_URL: url, POOLKEEPER_STATUS_TOKEN: 'status-token' },
    now: () => new Date(at),
    wait: async (ms) => {
      at += ms;
      left -= 1;
      if (left < 0) throw new Transient('ended by Ctrl-C');
    },
  });
  return { status, said: said.join(''), noted: noted.join('\n') };
}
