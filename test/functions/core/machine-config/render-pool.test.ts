import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { machineConfigOf } from '../../../../functions/core/machine-config/machine-config.ts';
import type { MachineConfig, MachineConfigPool } from '../../../../local/openshift/api-server/cluster-objects.ts';
import { render } from '../../../../local/openshift/machine-config/rendered-config.ts';
import { fc } from '../../../property.ts';
import { machineConfig, machineConfigObject, poolOf, roleKey, specOf } from './builders.ts';
import { renderPool } from './render-pool.ts';

interface Recorded {
  readonly origin: string;
  readonly pool: { readonly name: string; readonly roles: readonly string[] };
  readonly machineConfigs: readonly unknown[];
  readonly sources: readonly string[];
  readonly spec: Readonly<Record<string, unknown>>;
}

const folder = join(import.meta.dirname, 'recorded');

const recorded: readonly (readonly [string, Recorded])[] = readdirSync(folder).map((file) => [
  file,
  JSON.parse(readFileSync(join(folder, file), 'utf8')),
]);

describe('the predicted config of a pool', () => {
  test.each(recorded)('[S3-1] agrees in contents and order with the recorded one: %s', (_, example) => {
    const configs = example.machineConfigs.flatMap((object) => machineConfigOf(object) ?? []);

    const rendered = renderPool(poolOf(example.pool.name, ...example.pool.roles), configs);

    expect(rendered.sources).toEqual(example.sources);
    expect(specOf(rendered)).toEqual(example.spec);
  });

  test('[S3-1] agrees with the simulated OpenShift for any MachineConfigs, in any order they are listed', () => {
    const path = fc.constantFrom('/etc/a', '/etc/b', '/etc/c', '/etc/d');
    const one = fc.record({
      number: fc.integer({ min: 0, max: 99 }),
      role: fc.constantFrom('worker', 'infra', 'master'),
      files: fc.dictionary(path, fc.string({ maxLength: 5 }), { maxKeys: 3 }),
      args: fc.array(fc.constantFrom('a=1', 'b=2', 'c'), { maxLength: 2 }),
      kernelType: fc.constantFrom('', 'default', 'realtime', '64k-pages'),
      fips: fc.boolean(),
      osImageURL: fc.constantFrom('', 'image-a', 'image-b'),
    });
    const any = fc.uniqueArray(one, { maxLength: 12, selector: ({ number }) => number });

    fc.assert(
      fc.property(any, (list) => {
        const objects = list.map(({ number, role, files, args, kernelType, fips, osImageURL }) =>
          machineConfigObject(`${number}-x`, {
            role,
            files,
            spec: { kernelArguments: args, kernelType, fips, osImageURL },
          }),
        );
        const predicted = renderPool(
          poolOf('infra', 'worker', 'infra'),
          objects.flatMap((object) => machineConfigOf(object) ?? []),
        );

        const simulated = render(simulatedPool(), objects as unknown as MachineConfig[]);

        const [sources, spec] =
          simulated.kind === 'failed'
            ? [[], specOf(predicted)]
            : [simulated.configuration.source.map(({ name }) => name), simulated.config.spec];
        expect(predicted.sources).toEqual(sources);
        expect(specOf(predicted)).toEqual(spec);
      }),
    );
  });

  test('[S3-1] says which source wins each path, and who else speaks of it', () => {
    const configs = [
      machineConfig('99-worker', { files: { '/etc/app.conf': 'worker' } }),
      machineConfig('01-infra', { role: 'infra', files: { '/etc/app.conf': 'infra' } }),
    ];

    const rendered = renderPool(poolOf('infra', 'worker', 'infra'), configs);

    expect(rendered.facets.get('file /etc/app.conf')).toMatchObject({
      source: '01-infra',
      sources: ['99-worker', '01-infra'],
    });
  });

  test('[S3-2] a config of role worker is in the custom pool that inherits it, one of the custom role in that pool only', () => {
    const configs = [machineConfig('50-all'), machineConfig('50-infra', { role: 'infra' })];

    const [worker, infra] = [poolOf('worker'), poolOf('infra', 'worker', 'infra')].map((pool) =>
      renderPool(pool, configs),
    );

    expect(worker?.sources).toEqual(['50-all']);
    expect(infra?.sources).toEqual(['50-all', '50-infra']);
  });

  test('[S3-1] a rendered config is never merged again, and a pool without a selector merges nothing', () => {
    const made = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'v1' };
    const rendered = machineConfig('rendered-worker-aaa', { annotations: made, labels: {} });
    const configs = [rendered, machineConfig('50-all')];

    expect(renderPool(poolOf('worker'), configs).sources).toEqual(['50-all']);
    expect(renderPool({ name: 'none', machineConfigSelector: {} }, configs).sources).toEqual([]);
    expect(renderPool({ name: 'none', machineConfigSelector: undefined }, configs).sources).toEqual([]);
  });

  test('[S3-1] [C-11] what only looks rendered is merged if a pool selects it, as the MCO does', () => {
    const made = { 'machineconfiguration.openshift.io/generated-by-controller-version': 'v1' };
    const configs = [machineConfig('rendered-worker-aaa', { annotations: made }), machineConfig('50-all')];

    expect(renderPool(poolOf('worker'), configs).sources).toEqual(['50-all', 'rendered-worker-aaa']);
  });
});

function simulatedPool(): MachineConfigPool {
  const pool = {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfigPool',
    metadata: { name: 'infra', uid: 'uid-infra' },
    spec: {
      machineConfigSelector: { matchExpressions: [{ key: roleKey, operator: 'In', values: ['worker', 'infra'] }] },
    },
  };
  return pool as unknown as MachineConfigPool;
}
