import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { stringify } from 'yaml';
import type { ControlPlaneAddress } from '../../cluster/harness/control-plane.ts';
import type { EmulatorAddress } from '../emulator/emulator.ts';

/** The clusters that the pages name. */
export interface DeskClusters<T> {
  readonly eu: T;
  readonly us: T;
}

export interface DeskPlan {
  /** Gets a folder for programs and a home. */
  readonly folder: string;
  readonly clusters: DeskClusters<Pick<ControlPlaneAddress, 'server' | 'ca' | 'token'>>;
  readonly kubectl: string;
  readonly emulator: EmulatorAddress;
  readonly proxyUrl: string;
  /** Where Poolkeeper's repository is cloned from. */
  readonly poolkeeper: string;
}

/** What a person has at hand: programs, a kubeconfig, credentials, and where names lead to that are somebody else's.
 *  Answers the environment of their shell. */
export async function layDesk(plan: DeskPlan): Promise<Record<string, string>> {
  const { folder, emulator } = plan;
  const [home, bin] = [join(folder, 'home'), join(folder, 'bin')];
  await mkdir(join(home, '.kube'), { recursive: true });
  await mkdir(bin);
  const authorities = join(folder, 'authorities.crt');
  await writeFile(authorities, `${await readFile(emulator.caFile, 'utf8')}\n${await authoritiesOfMachine()}`);
  await writeFile(join(home, '.kube', 'config'), kubeconfig(plan), { mode: 0o600 });
  await writeFile(join(home, '.curlrc'), `proxy = ${plan.proxyUrl}\ncacert = ${authorities}\n`);
  await writeFile(join(home, '.cdk.json'), JSON.stringify({ notices: false }));
  const named = 'https://github.com/acme/poolkeeper';
  await writeFile(join(home, '.gitconfig'), `[url "${plan.poolkeeper}"]\n  insteadOf = ${named}\n`);
  const python = join(emulator.python, 'bin', 'python');
  await program(bin, 'oc', `exec ${plan.kubectl} "$@"`);
  // The command line looks for SQS at AWS whatever AWS_ENDPOINT_URL says.
  await program(bin, 'aws', `exec ${python} -m awscli --endpoint-url "$AWS_ENDPOINT_URL" "$@"`);

  // The pages name the region themselves, and nobody at a terminal is CI.
  const { AWS_REGION: _region, AWS_DEFAULT_REGION: _default, CI: _ci, ...credentials } = emulator.env;
  // The machine's own programs: those that a checkout installs are found by npx, or installed globally for this desk.
  const globals = join(folder, 'globals');
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((each) => !each.includes('node_modules'));
  return {
    ...credentials,
    AWS_CA_BUNDLE: authorities,
    NODE_EXTRA_CA_CERTS: authorities,
    HOME: home,
    PATH: [bin, join(globals, 'bin'), ...path].join(delimiter),
    CDK_DISABLE_CLI_TELEMETRY: 'true',
    CDK_DISABLE_VERSION_CHECK: 'true',
    ...npmSettings(),
    npm_config_prefix: globals,
  };
}

/** Some machines reach registries through a proxy that has an authority of its own. */
async function authoritiesOfMachine(): Promise<string> {
  const file = process.env['NODE_EXTRA_CA_CERTS'];
  return file === undefined ? '' : readFile(file, 'utf8').catch(() => '');
}

async function program(bin: string, name: string, line: string): Promise<void> {
  await writeFile(join(bin, name), `#!/bin/sh\n${line}\n`);
  await chmod(join(bin, name), 0o755);
}

/** The machine's own settings and cache: what lies there is not downloaded again. */
function npmSettings(): Record<string, string> {
  return {
    npm_config_userconfig: process.env['npm_config_userconfig'] ?? join(homedir(), '.npmrc'),
    npm_config_cache: process.env['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_prefer_offline: 'true',
    npm_config_update_notifier: 'false',
  };
}

function kubeconfig({ clusters }: DeskPlan): string {
  const entries = Object.entries({ 'prod-eu': clusters.eu, 'prod-us': clusters.us });
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'admin@prod-eu',
    clusters: entries.map(([name, { server, ca }]) => ({
      name,
      cluster: { server, 'certificate-authority-data': Buffer.from(ca).toString('base64') },
    })),
    users: entries.map(([name, { token }]) => ({ name, user: { token } })),
    contexts: entries.map(([name]) => ({ name: `admin@${name}`, context: { cluster: name, user: name } })),
  });
}
