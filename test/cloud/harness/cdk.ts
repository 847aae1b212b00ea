import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from '../../cluster/toolchain/run-command.ts';
import { account, type EmulatorAddress, region } from '../emulator/emulator.ts';
import { nodeFolder } from './clean-checkout.ts';

/** Name of the stack of the stage that is deployed. */
export const stackName = 'poolkeeper-dev';

export interface Cdk {
  readonly bootstrap: () => Promise<void>;
  /** Deploys the checkout; answers the outputs. */
  readonly deploy: () => Promise<Outputs>;
  readonly destroy: () => Promise<void>;
}

export type Outputs = Readonly<Record<string, string>>;

/** The commands a user types, in a checkout, against the emulator. */
export function cdkIn(checkout: string, { env, folder }: Pick<EmulatorAddress, 'env' | 'folder'>): Cdk {
  const outputsFile = join(folder, 'outputs.json');

  function cdk(...args: readonly string[]): Promise<string> {
    return runCommand({
      file: join(nodeFolder, 'node'),
      args: [join(checkout, 'node_modules/aws-cdk/bin/cdk'), ...args],
      folder: checkout,
      env: { ...env, PATH: `${nodeFolder}:${process.env['PATH'] ?? ''}`, CDK_DISABLE_CLI_TELEMETRY: 'true' },
    });
  }

  return {
    bootstrap: async () => {
      await cdk('bootstrap', '--app', '', `aws://${account}/${region}`);
    },
    deploy: async () => {
      await cdk('deploy', '--require-approval', 'never', '--outputs-file', outputsFile);
      const outputs: Readonly<Record<string, Outputs>> = JSON.parse(await readFile(outputsFile, 'utf8'));
      return outputs[stackName] ?? {};
    },
    destroy: async () => {
      await cdk('destroy', '--force');
    },
  };
}
