import { spawn } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import type { ControlPlane } from './control-plane.ts';
import { endWithUs } from './leave-nothing.ts';
import type { PackedImage } from './packed-image.ts';
import { until } from './until.ts';

/** What a kubelet would give the process of a pod. */
export interface PodFiles {
  /** Folder with token, ca.crt and namespace of its account. */
  readonly account: string;
  /** Folder of the mounted Secret. */
  readonly secrets: string;
  /** Path of poolkeeper.yaml. */
  readonly config: string;
}

export interface PodOptions {
  readonly image: PackedImage;
  readonly controlPlane: ControlPlane;
  readonly files: PodFiles;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `poolkeeper serve` as a pod runs it; it ends with the test. */
export interface Pod {
  /** Address for the network, once it listens. */
  readonly url: string;
  /** What it logged, a line each. */
  readonly log: () => string;
  /** Status of a path, 0 when nothing answers. */
  status(path: string): Promise<number>;
  /** Waits until it is ready: until it leads. */
  untilReady(): Promise<void>;
  signal(name: NodeJS.Signals): void;
  /** Waits for its end; exit status or signal. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** How long anything may take on a busy machine, milliseconds: guards against hangs alone. */
const limitMs = 120_000;

/** Writes what the kubelet mounts, of an account with this token. */
export async function writePodFiles(
  folder: string,
  given: {
    readonly controlPlane: ControlPlane;
    readonly namespace: string;
    readonly token: string;
    readonly secrets: Readonly<Record<string, string>>;
    readonly configuration: string;
  },
): Promise<PodFiles> {
  const files = { account: join(folder, 'account'), secrets: join(folder, 'secrets'), config: join(folder, 'c.yaml') };
  await mkdir(files.account, { recursive: true });
  await mkdir(files.secrets, { recursive: true });
  await writeFile(join(files.account, 'token'), given.token);
  await writeFile(join(files.account, 'namespace'), given.namespace);
  await writeFile(join(files.account, 'ca.crt'), given.controlPlane.ca);
  for (const [name, value] of Object.entries(given.secrets)) await writeFile(join(files.secrets, name), value);
  await writeFile(files.config, given.configuration);
  return files;
}

export async function startPod({ image, controlPlane, files, args, env = {} }: PodOptions): Promise<Pod> {
  const { hostname, port } = new URL(controlPlane.server);
  const line = [...image.entry, 'serve', '--config', files.config, '--account', files.account];
  const own = ['--secrets', files.secrets, '--port', '0', '--local-port', '0'];
  const child = spawn(image.program, [...line, ...own, ...args], {
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: files.account,
      KUBERNETES_SERVICE_HOST: hostname,
      KUBERNETES_SERVICE_PORT: port,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  endWithUs(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (more: string) => {
      text += more;
    });
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal));
  });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const said = () => `; it said:\n${text}`;
  const url = await until(
    () => /"message":"listening","url":"([^"]+)"/.exec(text)?.[1],
    limitMs,
    () => `it to listen${said()}`,
  );
  const status = (path: string) =>
    fetch(`${url}${path}`).then(
      (answer) => answer.status,
      () => 0,
    );
  return {
    url,
    log: () => text,
    status,
    async untilReady() {
      await until(
        async () => (await status('/readyz')) === 200,
        limitMs,
        () => `it to be ready${said()}`,
      );
    },
    signal: (name) => {
      child.kill(name);
    },
    ended,
  };
}
