import { describe, expect, test } from 'vitest';
import { changeToApprove } from '../../../../functions/core/gates/change-to-approve.ts';
import type { PoolImages } from '../../../../functions/core/openshift/image-build.ts';
import { aCondition, anImageBuild, anImageConfig, aPool } from '../../../fakes/index.ts';

const config = 'rendered-worker-bbb';
const digest = `sha256:${'0b1c2d3e'.repeat(8)}`;
const image = `registry.example.com/os@${digest}`;
const other = image.replaceAll('0', 'f');

const pool = aPool({ paused: true, target: { name: config, sources: [] } });
const mosc = anImageConfig({ image });
const build = anImageBuild({ config, image });

function asked(images: Partial<PoolImages>, of = pool) {
  const none = { kind: 'listed', configs: [], builds: [], unreadable: [], isServed: true } as const;
  const found = changeToApprove(of, { ...none, ...images });
  return found.kind === 'known' ? found.change : `unknown: ${found.why}`;
}

/** As releases up to 4.22 say it. */
function saying(told: string) {
  const message = `Pool is paused; will not update to MachineConfig ${config} / Image ${told}`;
  return aPool({ ...pool, conditions: [aCondition({ type: 'Updating', status: 'False', message })] });
}

describe('[N-17] [N-30] what people are asked to approve', () => {
  test.each([
    ['the rendered config of a pool without images', {}, config],
    ['the rendered config beside the images of another pool', { configs: [{ ...mosc, pool: 'gpu' }] }, config],
    ['with its image', { configs: [mosc], builds: [build] }, `${config}@${digest}`],
    [
      'the image of the build that is current, of several for one config',
      {
        configs: [mosc],
        builds: [{ ...build, name: 'worker-0', image: other, createdAt: '2026-03-01T10:00:00Z' }, build],
      },
      `${config}@${digest}`,
    ],
  ])('%s', (_which, images, change) => {
    expect(asked(images)).toBe(change);
  });

  test.each<readonly [string, Partial<PoolImages>, string]>([
    ['no build of the config', { configs: [mosc], builds: [anImageBuild({ image })] }, 'no image build'],
    ['one under way', { configs: [mosc], builds: [{ ...build, state: 'under-way' }] }, 'no image build'],
    ['one that has failed', { configs: [mosc], builds: [{ ...build, state: 'failed' }] }, 'no image build'],
    ['one that does not say it', { configs: [mosc], builds: [{ ...build, image: undefined }] }, 'does not have'],
    ['one that nodes are not taken to yet', { configs: [{ ...mosc, image: other }], builds: [build] }, 'does not have'],
    [
      'one without a digest',
      { configs: [{ ...mosc, image: 'example.com/os:1' }], builds: [{ ...build, image: 'example.com/os:1' }] },
      'no digest',
    ],
    ['several MachineOSConfigs', { configs: [mosc, { ...mosc, name: 'b' }], builds: [build] }, 'several'],
    [
      'a MachineOSConfig that cannot be parsed, which may be of any pool',
      { unreadable: [{ kind: 'MachineOSConfig', name: 'gpu', namespace: '', why: 'has no pool' }] },
      'MachineOSConfig gpu has no pool',
    ],
  ])('is not known with %s', (_which, images, why) => {
    expect(asked(images)).toMatch(new RegExp(`^unknown: .*${why}`));
  });

  test('is told by the pool where MachineOSConfigs may not be listed, or are not served', () => {
    const forbidden = changeToApprove(saying(image), { kind: 'forbidden', why: 'no rights' });

    expect(forbidden).toEqual({ kind: 'known', change: `${config}@${digest}` });
    expect(asked({ isServed: false }, saying(image))).toBe(`${config}@${digest}`);
    expect(asked({ isServed: false })).toBe(config);
    expect(asked({}, saying(image))).toBe(config);
  });

  test('keeps the digest of the longest image that the MCO accepts', () => {
    const longest = `${'r'.repeat(447 - digest.length - 1)}@${digest}`;

    expect(asked({ isServed: false }, saying(longest))).toBe(`${config}@${digest}`);
  });
});
