import { join } from 'node:path';
import { stringify } from 'yaml';
import type { NodeTurns } from '../../functions/core/configuration/node-turns.ts';
import { readConfiguration } from '../../functions/shell/configuration/read-configuration.ts';
import { cluster } from './demo-set-up.ts';

export const runName = 'upgrade';
/** Where the Jobs of the rules run. */
export const databases = 'databases';
export const rules = { primary: 'move-primary', monitor: 'silence-monitor' } as const;

/** A database's primary leaves the node before it is drained, and its monitor is silent meanwhile. */
const nodeTurns = {
  rules: {
    [rules.primary]: ruleOf('move-primary --away-from "$NODE_NAME"', 'move-primary --allow "$NODE_NAME"'),
    [rules.monitor]: ruleOf('monitor silence "$NODE_NAME"', 'monitor listen "$NODE_NAME"'),
  },
  targets: { workers: { machineConfigPools: ['worker'] } },
  runs: {
    [runName]: {
      cluster,
      mode: 'turns',
      mutexRules: Object.values(rules).map((name) => ({ name })),
      mutexTargets: [{ name: 'workers' }],
    },
  },
};

function ruleOf(before: string, after: string) {
  return { jobNamespace: databases, jobSpec: jobSpec(before), cleanUpJobSpec: jobSpec(after) };
}

function jobSpec(command: string) {
  const container = { name: 'job', image: 'registry.example.com/databases/tools', command: ['/bin/sh', '-c', command] };
  return { template: { spec: { restartPolicy: 'Never', containers: [container] } } };
}

/** A `poolkeeper.yaml` for the commands of `poolkeeper run`, which reach the cluster by a kubeconfig. */
export function runYaml(): string {
  const api = { server: 'https://demo.example.com', tokenSecret: cluster };
  return stringify({ clusters: [{ name: cluster, api }], nodeTurns }, { aliasDuplicateObjects: false });
}

export function scenarioTurns(): NodeTurns {
  return readConfiguration(runYaml(), { source: 'the scenario' }).nodeTurns;
}

/** A command of `poolkeeper run` for this cluster. `folder` has the two files. */
export function runCommandLine(words: string, folder: string): string {
  const [config, kubeconfig] = [join(folder, 'poolkeeper.yaml'), join(folder, 'kubeconfig')];
  return `poolkeeper run ${words} \\
    --config ${config} --kubeconfig ${kubeconfig}`;
}

/** What to look at and what to try next. */
export function inviteToWatch(folder: string): string {
  return `
Look at it as the command line does, or change a MachineConfig and watch it begin anew:

${runCommandLine(`status ${runName} --watch`, folder)}

Ctrl-C ends.`;
}
