import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { copiedFromCheckout, type Instruction, stagesOfContainerfile } from './containerfile.ts';

const root = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
const stages = stagesOfContainerfile();
const [packing = [], image = []] = stages;
const manifest: {
  readonly files: readonly string[];
  readonly bin: Readonly<Record<string, string>>;
  readonly engines: { readonly node: string };
} = JSON.parse(textOf('package.json'));

function all(stage: readonly Instruction[], name: string) {
  return stage.filter((each) => each.name === name).map(({ words }) => words);
}

describe('[C-9] the image', () => {
  test('is made in two stages, of which the second downloads nothing and runs nothing', () => {
    expect(stages).toHaveLength(2);
    expect(image.map(({ name }) => name)).toEqual([
      ...['FROM', 'WORKDIR', 'COPY', 'ENV', 'USER', 'EXPOSE', 'ENTRYPOINT', 'CMD'],
    ]);
    expect(all(image, 'COPY')).toEqual([['--from=package', '/package', './']]);
  });

  test('copies what is there and is sent to the build, and all of what is packed', () => {
    const copied = copiedFromCheckout(packing).flatMap(({ sources }) => sources);
    const sent = textOf('.containerignore')
      .split('\n')
      .flatMap((line) => /^!(.+)$/.exec(line)?.[1] ?? []);

    expect(textOf('.containerignore').split('\n')).toContain('*');
    expect(copied.filter((source) => !existsSync(join(root, source)))).toEqual([]);
    expect(copied.toSorted()).toEqual(sent.toSorted());
    const made = ['dist/cli'];
    const packed = manifest.files.filter((file) => !made.includes(file));
    expect(packed.filter((file) => !copied.some((source) => file === source || file.startsWith(`${source}/`)))).toEqual(
      [],
    );
  });

  test('runs under any number that is not root’s, and starts a file of the package', () => {
    const [[user = ''] = []] = all(image, 'USER');
    const [[home = ''] = []] = all(image, 'WORKDIR');
    const [[program, file = ''] = []] = all(image, 'ENTRYPOINT');

    expect(user).toMatch(/^[1-9]\d*$/);
    expect(program).toBe('node');
    expect(file).toBe(`${home}/${manifest.bin['poolkeeper']}`);
  });

  test('has no secret in a build argument or in its environment', () => {
    const said = [...all(packing, 'ARG'), ...all(image, 'ENV')].flat();

    expect(said.filter((word) => /token|secret|password|key/i.test(word))).toEqual([]);
  });

  test('has a Node that the package runs on, by a name that a digest can replace', () => {
    const [, base = '', major = ''] = /^ARG BASE=((?:node):(\d+)\S*)$/m.exec(textOf('Containerfile')) ?? [];
    const [, least = ''] = /^>=(\d+)/.exec(manifest.engines.node) ?? [];

    const variable = ['$', '{BASE}'].join('');

    expect(base).toContain('slim');
    expect(Number(major)).toBeGreaterThanOrEqual(Number(least));
    expect(stages.map(([from]) => from?.words[0])).toEqual([variable, variable]);
  });
});
