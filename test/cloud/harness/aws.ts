import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import { runCommand } from '../../cluster/toolchain/run-command.ts';
import { type EmulatorAddress, region } from '../emulator/emulator.ts';

/** Access to the account as its administrator. */
export interface Aws {
  readonly sqs: SQSClient;
  readonly secrets: SecretsManagerClient;
  /** Runs the AWS command line and gives back what it printed as JSON; undefined where it printed nothing. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of a dozen services, and a test asserts what it finds in them
  readonly cli: (...args: readonly string[]) => Promise<any>;
  /** Runs a script of bash with the command line in its PATH. */
  readonly shell: (script: string) => Promise<string>;
}

export function openAws({ endpoint, caFile, env, python }: EmulatorAddress): Aws {
  const settings = {
    endpoint,
    region,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    requestHandler: { httpsAgent: new Agent({ ca: readFileSync(caFile), keepAlive: true }) },
  };
  const bin = join(python, 'bin');
  const around = { ...env, PATH: `${bin}:${process.env['PATH'] ?? ''}` };
  return {
    sqs: new SQSClient(settings),
    secrets: new SecretsManagerClient(settings),
    cli: async (...args) => {
      const script = ['-m', 'awscli', '--endpoint-url', endpoint, ...args, '--output', 'json'];
      const text = await runCommand({ file: join(bin, 'python'), args: script, env: around });
      return text.trim() === '' ? undefined : JSON.parse(text);
    },
    shell: (script) => {
      // The command's own starter names the folder that the environment was built in, which was renamed
      // since; and it looks for SQS at AWS whatever AWS_ENDPOINT_URL says.
      const command = `aws() { python -m awscli --endpoint-url "$AWS_ENDPOINT_URL" "$@"; }\n${script}`;
      return runCommand({ file: 'bash', args: ['-euo', 'pipefail', '-c', command], env: around });
    },
  };
}
