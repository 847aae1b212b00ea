import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { CannotDeploy } from './cannot-deploy.ts';
import { readConfiguration } from './configuration.ts';
import { PoolkeeperStack } from './poolkeeper-stack.ts';
import { settingsOf } from './settings.ts';

/** Written by infra/prepare.ts, which cdk.json runs first. */
const configurationFile = fileURLToPath(new URL('../.poolkeeper/poolkeeper.json', import.meta.url));

/** One stage at a time, so that `cdk deploy` needs no stack name: dev, or that of `-c stage=prod`. */
function makeApp(): void {
  const app = new App();
  const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;
  new PoolkeeperStack(app, 'Poolkeeper', {
    settings: settingsOf(app.node.tryGetContext('stage') ?? 'dev'),
    configuration: readConfiguration(configurationFile),
    configurationFile,
    // Without credentials both are unknown, and the template suits every account and region.
    env: account && region ? { account, region } : undefined,
  });
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}

try {
  makeApp();
} catch (error) {
  if (!(error instanceof CannotDeploy)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
