import { readFileSync } from 'node:fs';
import { argocdContract } from '../contracts/argocd.contract.ts';
import { clusterArgoCdLab, clusterPoolsLab } from '../contracts/cluster-labs.ts';
import { poolsContract } from '../contracts/pools.contract.ts';
import { useLab } from './harness/lab.ts';

const { controlPlane } = useLab();

/** The adapters, and with them the fakes and the simulated OpenShift that pass the same suites, against the real API
 *  server. */
const access = {
  server: controlPlane.server,
  ca: readFileSync(controlPlane.caFile, 'utf8'),
  token: controlPlane.token,
};

poolsContract('a real kube-apiserver', () => clusterPoolsLab(access));
argocdContract('a real kube-apiserver', () => clusterArgoCdLab(access));
