import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';
import { buildPrograms, goModule, moduleFiles, pins } from './go-module.ts';
import type { Part } from './part.ts';

const etcdModule = goModule('etcd');
const kubernetesModule = goModule('kubernetes');
const argocdModule = goModule('argocd');
const openshiftModule = goModule('openshift-api');
const operatorModule = goModule('argocd-operator');

export const etcd: Part = {
  name: 'etcd',
  version: '3.6.16',
  cost: 'about a minute',
  recipe: () => pins(etcdModule),
  build: (folder, say) => {
    const programs = { packages: ['go.etcd.io/etcd/server/v3'], variables: {}, output: join(folder, 'etcd') };
    return buildPrograms(etcdModule, programs, say);
  },
};

/** Programs of Kubernetes the suite builds: the API server now, the others for what needs real controllers. */
const kubernetesPrograms = ['kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler'] as const;

export const kubernetes: Part = {
  name: 'kubernetes',
  version: '1.34.4',
  cost: 'about five minutes',
  recipe: () => `${kubernetesPrograms.join(' ')}\n${pins(kubernetesModule)}`,
  build: (folder, say) => {
    // Without these the API server says `v0.0.0-master+$Format:%H$`, and version comparisons of its clients go astray.
    const variables = {
      'k8s.io/component-base/version.gitMajor': '1',
      'k8s.io/component-base/version.gitMinor': '34',
      'k8s.io/component-base/version.gitVersion': 'v1.34.4',
    };
    const packages = kubernetesPrograms.map((name) => `k8s.io/kubernetes/cmd/${name}`);
    return buildPrograms(kubernetesModule, { packages, variables, output: `${folder}/` }, say);
  },
};

/** One program; which component it is, is said by the environment variable ARGOCD_BINARY_NAME. */
export const argocd: Part = {
  name: 'argocd',
  version: '3.2.11',
  cost: 'about six minutes',
  recipe: () => pins(argocdModule),
  build: (folder, say) => {
    const variables = { 'github.com/argoproj/argo-cd/v3/common.version': '3.2.11' };
    const packages = ['github.com/argoproj/argo-cd/v3/cmd'];
    return buildPrograms(argocdModule, { packages, variables, output: join(folder, 'argocd') }, say);
  },
};

/** Files of the Argo CD manifests part. */
export const argocdFiles = { definitions: 'definitions.json', configuration: 'configuration.json' } as const;

/** Argo CD's own definitions and configuration objects, as JSON lists. */
export const argocdManifests: Part = {
  name: 'argocd-manifests',
  version: '3.2.11',
  cost: 'seconds',
  recipe: () => `1\n${pins(argocdModule)}`,
  build: async (folder, say) => {
    const source = join(await moduleFiles(argocdModule, 'github.com/argoproj/argo-cd/v3', say), 'manifests');
    const definitions = await readObjects(join(source, 'crds'));
    const configuration = await readObjects(join(source, 'base', 'config'));
    await writeFile(join(folder, argocdFiles.definitions), JSON.stringify(definitions));
    await writeFile(join(folder, argocdFiles.configuration), JSON.stringify(configuration));
  },
};

async function readObjects(folder: string): Promise<unknown[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
  const texts = await Promise.all(files.sort().map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    parseAllDocuments(text)
      .map((document): unknown => document.toJS())
      .filter(Boolean),
  );
}

/** Files of the OpenShift definitions part. */
export const openshiftFiles = { definitions: 'definitions.json' } as const;

/** Kinds of OpenShift that Poolkeeper reads or maps, as `<plural>.<group>`; a folder of the module holds many more. */
const openshiftKinds: Readonly<Record<string, readonly string[]>> = {
  'machineconfiguration/v1': [
    'machineconfigpools',
    'machineconfigs',
    'machineconfignodes',
    'kubeletconfigs',
    'containerruntimeconfigs',
    'controllerconfigs',
    'machineosconfigs',
    'machineosbuilds',
    'pinnedimagesets',
  ],
  'config/v1': [
    'clusterversions',
    'clusteroperators',
    'infrastructures',
    'imagedigestmirrorsets',
    'imagetagmirrorsets',
    'imagepolicies',
    'clusterimagepolicies',
    'images',
    'nodes',
    'featuregates',
    'apiservers',
    'proxies',
    'networks',
    'dnses',
    'schedulers',
  ],
  'machine/v1beta1': ['machines', 'machinesets', 'machinehealthchecks'],
  'operator/v1': ['machineconfigurations'],
  'operator/v1alpha1': ['imagecontentsourcepolicies'],
  'route/v1': ['routes'],
};

/** The definitions a self-managed cluster without preview features serves. */
export const openshiftDefinitions: Part = {
  name: 'openshift-definitions',
  version: '20260810132456',
  cost: 'seconds',
  recipe: () => `1\n${JSON.stringify(openshiftKinds)}\n${pins(openshiftModule)}`,
  build: async (folder, say) => {
    const source = await moduleFiles(openshiftModule, 'github.com/openshift/api', say);
    const definitions: unknown[] = [];
    for (const [group, plurals] of Object.entries(openshiftKinds)) {
      const manifests = join(source, group, 'zz_generated.crd-manifests');
      const files = await readdir(manifests);
      for (const plural of plurals)
        definitions.push(parse(await readFile(join(manifests, manifestOf(plural, files)), 'utf8')));
    }
    await writeFile(join(folder, openshiftFiles.definitions), JSON.stringify(definitions));
  },
};

/** A kind whose shape depends on preview features or topology comes in variants; these are the released,
 *  self-managed ones, best first. */
const variants = ['', '-SelfManagedHA', '-Default', '-SelfManagedHA-Default'] as const;

function manifestOf(plural: string, files: readonly string[]): string {
  for (const variant of variants) {
    // Most have a number and the name of their operator before that.
    const ending = `${plural}${variant}.crd.yaml`;
    const found = files.find((file) => file === ending || file.endsWith(`_${ending}`));
    if (found !== undefined) return found;
  }
  throw new Error(`no released definition of ${plural} in the pinned OpenShift module`);
}

/** Files of the Argo CD operator's definitions part. */
export const operatorFiles = { definitions: 'definitions.json' } as const;

/** The two kinds by which people configure OpenShift GitOps, as its operator defines them: the version that is
 *  stored, and no prose, because a definition of two megabytes is more than etcd takes. */
export const operatorDefinitions: Part = {
  name: 'argocd-operator-definitions',
  version: '0.17.0',
  cost: 'seconds',
  recipe: () => `1\n${pins(operatorModule)}`,
  build: async (folder, say) => {
    const module = await moduleFiles(operatorModule, 'github.com/argoproj-labs/argocd-operator', say);
    const source = join(module, 'config', 'crd', 'bases');
    const definitions = await Promise.all(
      ['argocds', 'notificationsconfigurations'].map(async (plural) =>
        storedVersionOnly(parse(await readFile(join(source, `argoproj.io_${plural}.yaml`), 'utf8'))),
      ),
    );
    await writeFile(join(folder, operatorFiles.definitions), JSON.stringify(definitions.map(withoutProse)));
  },
};

interface Definition {
  readonly spec: { readonly versions: readonly { readonly storage: boolean }[] };
}

function storedVersionOnly(definition: Definition): Definition {
  const { spec } = definition;
  return { ...definition, spec: { ...spec, versions: spec.versions.filter(({ storage }) => storage) } };
}

/** A description is text; a property of that name is a schema and stays. */
function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, inner]) => key !== 'description' || typeof inner !== 'string');
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutProse(inner)]));
}
