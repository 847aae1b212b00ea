import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

/** First half of what cdk.json runs: has the configuration checked and written where infra/app.ts and the bundles take
 *  it from. A process of its own, because the check belongs to the functions and infra imports none of their code. */
const own = 'poolkeeper.yaml';
const example = 'poolkeeper.example.yaml';

if (!existsSync(own)) {
  console.error(`No ${own} here, so this is the stack of ${example}. Copy that and fill it in before you deploy.`);
}
const { status } = spawnSync(
  process.execPath,
  ['functions/shell/configuration/prepare.ts', existsSync(own) ? own : example, '--out', '.poolkeeper/poolkeeper.json'],
  { stdio: 'inherit' },
);
process.exitCode = status ?? 1;
