import { cp, mkdir, symlink } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { copiedFromCheckout, type Instruction, stagesOfContainerfile } from '../../local/in-cluster/containerfile.ts';
import { runCommand } from '../toolchain/run-command.ts';

const root = join(import.meta.dirname, '../../..');

/** What an image of the Containerfile would start, as a program of this machine. */
export interface PackedImage {
  readonly program: string;
  /** Its entry point, with the paths of this machine. */
  readonly entry: readonly string[];
}

/** Plays the steps of the Containerfile in a folder: copies what it copies, and packs what it packs. What `npm ci`
 *  would install is linked to what is installed here. */
export async function packImage(folder: string): Promise<PackedImage> {
  const [packing = [], image = []] = stagesOfContainerfile();
  const checkout = join(folder, 'checkout');
  for (const { sources, target } of copiedFromCheckout(packing))
    for (const source of sources) await copyInto(checkout, source, target);
  await symlink(join(root, 'node_modules'), join(checkout, 'node_modules'));
  await runCommand({ file: 'npm', args: ['pack', '--pack-destination', folder], folder: checkout, env: npmSettings });
  const unpacked = join(folder, 'package');
  await mkdir(unpacked, { recursive: true });
  await runCommand({
    file: 'sh',
    args: ['-c', 'tar --extract --gzip --file ../poolkeeper-*.tgz --strip-components 1'],
    folder: unpacked,
  });
  const home = wordOf(image, 'WORKDIR');
  const [, ...entry] = image.find(({ name }) => name === 'ENTRYPOINT')?.words ?? [];
  return { program: process.execPath, entry: entry.map((word) => join(unpacked, relative(home, word))) };
}

/** The registry is not asked whether npm is new. */
const npmSettings = { npm_config_update_notifier: 'false' };

/** As COPY does: a file keeps its name in a folder, a folder's content becomes that of the target. */
async function copyInto(checkout: string, source: string, target: string): Promise<void> {
  const isIntoFolder = target.endsWith('/');
  const place = resolve(checkout, isIntoFolder ? join(target, source) : target);
  await mkdir(dirname(place), { recursive: true });
  await cp(join(root, source), place, { recursive: true });
}

function wordOf(stage: readonly Instruction[], name: string): string {
  return stage.find((each) => each.name === name)?.words[0] ?? '';
}
