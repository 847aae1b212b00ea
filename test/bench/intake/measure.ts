import { type ChildProcess, fork } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { median } from '../quantile.ts';

/** What is compared. `floor`: HMAC and JSON.parse over node:http. */
export interface Intake {
  readonly name: string;
  /** The program of the server. */
  readonly server: string;
  readonly kind: 'floor' | 'octokit' | 'probot' | 'poolkeeper';
}

export interface IntakeCost {
  readonly name: string;
  /** Processor time of the server's process for one push, median over the rounds, microseconds. */
  readonly microseconds: number;
  /** The same of each round. */
  readonly rounds: readonly number[];
}

const secret = 'a-secret-of-the-bench';

interface Running {
  readonly intake: Intake;
  readonly child: ChildProcess;
  readonly port: number;
  readonly rounds: number[];
}

/** Sends the same push to each in turn, in rounds, so that whatever else the machine does falls on all alike. */
export async function measureIntakes(
  intakes: readonly Intake[],
  body: Buffer,
  { rounds, pushes }: { readonly rounds: number; readonly pushes: number },
): Promise<readonly IntakeCost[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 4 });
  const running: Running[] = [];
  try {
    for (const intake of intakes) running.push(await start(intake));
    // The compiler is done with what is asked this often.
    for (const each of running) await sendMany(each, body, agent, 6 * pushes);
    for (let round = 0; round < rounds; round += 1) {
      for (const each of running) {
        const before = await processorOf(each.child);
        await sendMany(each, body, agent, pushes);
        each.rounds.push(((await processorOf(each.child)) - before) / pushes);
      }
    }
    return running.map(({ intake: { name }, rounds: taken }) => ({
      name,
      microseconds: median(taken),
      rounds: taken,
    }));
  } finally {
    agent.destroy();
    for (const { child } of running) child.disconnect();
  }
}

async function start(intake: Intake): Promise<Running> {
  const child = fork(intake.server, [intake.kind]);
  const [{ port }] = (await once(child, 'message')) as [{ readonly port: number }];
  return { intake, child, port, rounds: [] };
}

/** Microseconds since the start of the process. */
async function processorOf(child: ChildProcess): Promise<number> {
  child.send('usage');
  const [{ usage }] = (await once(child, 'message')) as [{ readonly usage: NodeJS.CpuUsage }];
  return usage.user + usage.system;
}

async function sendMany({ intake, port }: Running, body: Buffer, agent: Agent, pushes: number): Promise<void> {
  const headers = {
    'content-type': 'application/json',
    'content-length': body.length,
    'x-github-event': 'push',
    'x-github-delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958',
    'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
  };
  let left = pushes;
  const sender = async () => {
    while (left > 0) {
      left -= 1;
      const status = await send({ port, headers, agent }, body);
      if (status < 200 || status > 299) throw new Error(`${intake.name} answered ${status}`);
    }
  };
  await Promise.all([sender(), sender(), sender(), sender()]);
}

function send(
  to: { readonly port: number; readonly headers: Record<string, string | number>; readonly agent: Agent },
  body: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', path: '/github', method: 'POST', ...to }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end(body);
  });
}
