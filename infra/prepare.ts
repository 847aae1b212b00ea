import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

// cdk.json runs this before infra/app.ts: it validates the configuration and writes it where app.ts and the bundles
// read it. A separate process, because the validation belongs to the functions and infra imports none of their code.

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
