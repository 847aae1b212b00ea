import { describe, expect, test } from 'vitest';
import { type PoolImages, wantedImage } from '../../../../functions/core/openshift/image-build.ts';
import { isBehind } from '../../../../functions/core/openshift/node.ts';
import { aNode, anImageConfig, aPool } from '../../../fakes/index.ts';

const [old, next] = ['registry.example.com/os@sha256:aaa', 'registry.example.com/os@sha256:bbb'] as const;
const none: PoolImages = { configs: [], builds: [], unreadable: [], isServed: true };
const unreadable = (kind: string) => ({
  ...none,
  unreadable: [{ kind, namespace: '', name: 'odd', why: 'cannot be parsed' }],
});

describe('[N-30] the image that the nodes of a pool of image mode are to boot', () => {
  test.each<readonly [which: string, images: PoolImages, wanted: ReturnType<typeof wantedImage>]>([
    ['is that of its MachineOSConfig', { ...none, configs: [anImageConfig({ image: next })] }, { image: next }],
    ['is not known before its first build is done', { ...none, configs: [anImageConfig()] }, undefined],
    [
      'is not known where two MachineOSConfigs name the pool',
      { ...none, configs: [anImageConfig({ image: next }), anImageConfig({ name: 'second', image: old })] },
      undefined,
    ],
    [
      'is that of the release where only other pools have a MachineOSConfig',
      { ...none, configs: [anImageConfig({ pool: 'gpu', image: next })] },
      { image: undefined },
    ],
    ['is that of the release where a build cannot be parsed', unreadable('MachineOSBuild'), { image: undefined }],
    ['is not known where a MachineOSConfig cannot be parsed', unreadable('MachineOSConfig'), undefined],
    ['is not known where the cluster does not serve them', { ...none, isServed: false }, undefined],
  ])('%s', (_which, images, wanted) => {
    expect(wantedImage('worker', images)).toEqual(wanted);
  });

  test.each([
    ['another one', old, { image: next }, true],
    ['that one', next, { image: next }, false],
    ['none yet', undefined, { image: next }, true],
    ['one, out of image mode', old, { image: undefined }, true],
    ['none, out of image mode', undefined, { image: undefined }, false],
    ['one, and nothing is known', old, undefined, false],
  ])('decides whether a node that is told to boot %s is behind', (_which, desiredImage, wanted, behind) => {
    const { target } = aPool();
    const node = aNode({ desiredConfig: target.name, desiredImage });

    expect(isBehind(node, aPool(), wanted)).toBe(behind);
  });
});
