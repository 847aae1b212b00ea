import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { freePorts } from '../../cluster/harness/free-ports.ts';
import { removeFolder, temporaryFolder } from '../../cluster/harness/leave-nothing.ts';
import { type RunningProgram, startProgram } from '../../cluster/harness/process.ts';
import { until } from '../../cluster/harness/until.ts';
import { runCommand } from '../../cluster/toolchain/run-command.ts';

export const region = 'us-east-1';
export const account = '000000000000';

/** How often a cluster's schedule fires here instead of every minute, seconds. */
const tickSeconds = 2;

export interface EmulatorAddress {
  readonly endpoint: string;
  /** Certificate that the emulator shows and that every client trusts. */
  readonly caFile: string;
  /** What an AWS client must find in its environment: our endpoint and nothing of the machine's own account. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder with `bin/python` and `bin/aws`. */
  readonly python: string;
  readonly folder: string;
  readonly pid: number;
}

export interface Emulator extends EmulatorAddress {
  readonly stop: () => Promise<void>;
}

export interface EmulatorStart {
  /** Folder of the Python environment. */
  readonly python: string;
  /** Folder with the `node` that runs the handlers: the runtime's name does not choose it. */
  readonly nodeFolder: string;
  /** Region of the account; {@link region} by default. */
  readonly home?: string;
}

/** Starts the emulator with IAM enforced and over TLS, on a free loopback port. */
export async function startEmulator({ python, nodeFolder, home = region }: EmulatorStart): Promise<Emulator> {
  const folder = await temporaryFolder('cloud');
  const [port = 0] = await freePorts(1);
  const { certificate, key } = await selfSigned(folder, home);
  // The whole environment reaches the handlers, so it holds nothing but this.
  const env = {
    PATH: `${nodeFolder}:/usr/bin:/bin`,
    TMPDIR: folder,
    GATEWAY_PORT: String(port),
    BIND_HOST: '127.0.0.1',
    MINISTACK_HOST: 'localhost',
    MINISTACK_REGION: home,
    AUTH: 'true',
    USE_SSL: '1',
    MINISTACK_SSL_CERT: certificate,
    MINISTACK_SSL_KEY: key,
    LAB_TICK_SECONDS: String(tickSeconds),
  };
  const program = await startProgram({
    name: 'emulator',
    file: join(python, 'bin', 'python'),
    args: [join(import.meta.dirname, 'launcher.py')],
    env,
    folder,
    logFile: join(folder, 'emulator.log'),
  });
  const endpoint = `https://localhost:${port}`;
  await untilHealthy(endpoint, program);
  return {
    endpoint,
    caFile: certificate,
    env: clientEnvironment(endpoint, certificate, home),
    python,
    folder,
    pid: program.pid,
    stop: async () => {
      await program.stop();
      await removeFolder(folder);
    },
  };
}

function clientEnvironment(endpoint: string, caFile: string, home: string): Readonly<Record<string, string>> {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_CA_BUNDLE: caFile,
    NODE_EXTRA_CA_CERTS: caFile,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: home,
    AWS_DEFAULT_REGION: home,
    AWS_EC2_METADATA_DISABLED: 'true',
    AWS_CONFIG_FILE: '/dev/null',
    AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
    AWS_PAGER: '',
    CI: '1',
  };
}

/** A certificate of its own authority, good for the names that clients use and for those of the APIs of a region. */
async function selfSigned(
  folder: string,
  home: string,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const certificate = join(folder, 'gateway.crt');
  const key = join(folder, 'gateway.key');
  const config = join(folder, 'gateway.cnf');
  await writeFile(config, '[req]\ndistinguished_name=dn\n[dn]\n');
  const subject = ['-config', config, '-subj', '/CN=localhost', '-days', '2'];
  const alternatives = `DNS:localhost,IP:127.0.0.1,DNS:*.execute-api.${home}.amazonaws.com`;
  const names = ['-addext', `subjectAltName=${alternatives}`, '-addext', 'basicConstraints=CA:FALSE'];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate];
  await runCommand({ file: 'openssl', args: [...args, ...subject, ...names] });
  return { certificate, key };
}

async function untilHealthy(endpoint: string, program: RunningProgram): Promise<void> {
  let dead: unknown;
  await until(
    async () => {
      await program.check().catch((cause: unknown) => (dead = cause));
      return dead !== undefined || (await statusOf(`${endpoint}/_ministack/health`)) === 200;
    },
    60_000,
    'the emulator to answer',
  );
  if (dead !== undefined) throw dead;
}

function statusOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { rejectUnauthorized: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.once('error', reject);
    sent.end();
  });
}
