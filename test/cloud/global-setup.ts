import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager';
import type { TestProject } from 'vitest/node';
import { startControlPlane } from '../cluster/harness/control-plane.ts';
import { buildToolchain } from '../cluster/toolchain/build-toolchain.ts';
import { buildPart } from '../cluster/toolchain/part.ts';
import { timed } from '../timed.ts';
import { startEmulator } from './emulator/emulator.ts';
import { emulatorPart } from './emulator/emulator-part.ts';
import { openAws } from './harness/aws.ts';
import { cdkIn } from './harness/cdk.ts';
import { layCheckout, nodeFolder } from './harness/clean-checkout.ts';
import type { CloudAddress } from './harness/cloud.ts';
import {
  clusterTokenSecret,
  mailFrom,
  poolkeeperYaml,
  slackSigning,
  slackTokenSecret,
} from './harness/configuration.ts';
import { inventory } from './harness/inventory.ts';
import { letPoolkeeperIn } from './harness/rights-on-cluster.ts';
import { startStandIns } from './harness/stand-ins.ts';

declare module 'vitest' {
  interface ProvidedContext {
    cloud: CloudAddress;
  }
}

/** Starts a control plane and the emulator, and deploys the stack as a user does; takes all down whatever happened. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const stops: (() => Promise<void>)[] = [];
  const teardown = async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  };
  try {
    const say = (line: string) => console.log(`toolchain: ${line}`);
    const toolchain = await buildToolchain(say);
    const python = await buildPart(emulatorPart, say);
    const controlPlane = await timed('cloud: control plane up', () => startControlPlane(toolchain));
    stops.push(controlPlane.stop);
    const standIns = await startStandIns(controlPlane.server);
    stops.push(standIns.stop);
    const emulator = await timed('cloud: emulator up', () => startEmulator({ python, nodeFolder }));
    stops.push(emulator.stop);

    const aws = openAws(emulator);
    const { ca } = controlPlane;
    const server = standIns.apiServerUrl;
    const yaml = poolkeeperYaml({ server, ca, slackApiUrl: standIns.slackApiUrl });
    const checkout = await layCheckout(emulator.folder, yaml);
    const cdk = cdkIn(checkout, emulator);
    await timed('cloud: bootstrapped', cdk.bootstrap);
    const before = await inventory(aws);
    // What docs/deploy.md has a person make by hand: the token of the cluster, the token of the bot, Slack's signing
    // secret, the sender's address.
    const secrets = {
      [clusterTokenSecret]: await letPoolkeeperIn(controlPlane),
      [slackTokenSecret]: 'xoxb-good',
      [slackSigning.name]: slackSigning.value,
    };
    for (const [Name, SecretString] of Object.entries(secrets))
      await aws.secrets.send(new CreateSecretCommand({ Name, SecretString }));
    await aws.cli('sesv2', 'create-email-identity', '--email-identity', mailFrom);
    const outputs = await timed('cloud: deployed', cdk.deploy);

    const { stop: _emulator, ...emulatorAddress } = emulator;
    const { stop: _standIns, ...standInsAddress } = standIns;
    const address = { controlPlane, emulator: emulatorAddress, standIns: standInsAddress, checkout, outputs, before };
    // Only the data of an address survives the way to a worker; the functions are made again there.
    project.provide('cloud', JSON.parse(JSON.stringify(address)));
  } catch (cause) {
    await teardown();
    throw cause;
  }
  return teardown;
}
