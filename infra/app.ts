import { fileURLToPath } from 'node:url';
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { readConfiguration } from './configuration.ts';
import { PoolkeeperStack } from './poolkeeper-stack.ts';
import { settingsOf } from './settings.ts';

/** Written by infra/prepare.ts, which cdk.json runs first. */
const configurationFile = fileURLToPath(new URL('../.poolkeeper/poolkeeper.json', import.meta.url));

const app = new App();
const settings = settingsOf(app.node.tryGetContext('stage') ?? 'dev');
const { CDK_DEFAULT_ACCOUNT: account, CDK_DEFAULT_REGION: region } = process.env;

new PoolkeeperStack(app, 'Poolkeeper', {
  settings,
  configuration: readConfiguration(configurationFile),
  configurationFile,
  // Unknown without credentials: the template is then the same for every account and region.
  env: account && region ? { account, region } : undefined,
});
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
