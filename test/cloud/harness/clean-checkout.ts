import { cp, mkdir, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const repository = fileURLToPath(new URL('../../..', import.meta.url));
/** What `cdk deploy` reads, and nothing else. */
const deployed = ['events', 'functions', 'infra', 'cdk.json', 'package.json', 'package-lock.json', 'tsconfig.json'];

/** Lays a checkout into a folder with a poolkeeper.yaml of its own, so that a run neither reads nor writes one of this
 *  checkout, and a test may change the code that is deployed. Dependencies are those installed here. */
export async function layCheckout(folder: string, configuration: string): Promise<string> {
  const checkout = join(folder, 'checkout');
  await mkdir(checkout, { recursive: true });
  for (const name of deployed) {
    await mkdir(dirname(join(checkout, name)), { recursive: true });
    await cp(join(repository, name), join(checkout, name), { recursive: true });
  }
  await symlink(join(repository, 'node_modules'), join(checkout, 'node_modules'));
  await writeFile(join(checkout, 'poolkeeper.yaml'), configuration);
  return checkout;
}

/** Folder of the pinned Node, which runs the handlers and the CDK. */
export const nodeFolder = join(repository, 'node_modules', 'node', 'bin');
