import { join } from 'node:path';

/** The ports of a node, all on 127.0.0.1. */
export interface NodePorts {
  readonly postgres: number;
  /** Patroni's REST interface. */
  readonly patroni: number;
  readonly etcd: number;
  readonly etcdPeers: number;
}

/** The time after which Patroni takes a primary for lost, in seconds: its settings of the same names. */
export interface PatroniTimes {
  readonly ttl: number;
  readonly loopWait: number;
  readonly retryTimeout: number;
}

/** Passwords of PostgreSQL's roles, made for one run. */
export interface ClusterPasswords {
  readonly superuser: string;
  readonly replication: string;
}

/**
 * Patroni's section for version 2 or 3 of etcd's interface. With version 3, Patroni 3.0.2 lets a primary that has stood
 * still take the lock back from its successor, and what was accepted meanwhile is lost: docs/failover.md.
 */
export type EtcdInterface = 'etcd' | 'etcd3';

interface NodeSettings {
  readonly name: string;
  readonly folder: string;
  readonly ports: NodePorts;
  readonly etcdPorts: readonly number[];
  readonly postgresFolder: string;
  readonly times: PatroniTimes;
  readonly synchronous: boolean;
  readonly etcdInterface: EtcdInterface;
  readonly passwords: ClusterPasswords;
}

/** @returns Patroni's configuration file of one node (JSON, which is YAML) */
export function patroniSettings(its: NodeSettings): string {
  const { name, folder, ports, passwords } = its;
  const address = (port: number): string => `127.0.0.1:${port}`;
  return JSON.stringify(
    {
      scope: 'tankeeper',
      name,
      restapi: { listen: address(ports.patroni), connect_address: address(ports.patroni) },
      [its.etcdInterface]: { hosts: its.etcdPorts.map(address) },
      bootstrap: {
        dcs: sharedSettings(its.times, its.synchronous),
        initdb: [{ encoding: 'UTF8' }, { locale: 'C.UTF-8' }, 'data-checksums'],
      },
      postgresql: {
        listen: address(ports.postgres),
        connect_address: address(ports.postgres),
        data_dir: join(folder, 'postgres'),
        bin_dir: its.postgresFolder,
        pgpass: join(folder, 'pgpass'),
        authentication: {
          superuser: { username: 'postgres', password: passwords.superuser },
          replication: { username: 'replicator', password: passwords.replication },
          rewind: { username: 'postgres', password: passwords.superuser },
        },
        parameters: { unix_socket_directories: folder, password_encryption: 'scram-sha-256' },
        pg_hba: [
          'local all postgres trust',
          'host replication replicator 127.0.0.1/32 scram-sha-256',
          'host all all 127.0.0.1/32 scram-sha-256',
        ],
      },
    },
    undefined,
    2,
  );
}

/** The settings that Patroni keeps in etcd, for all nodes alike. */
function sharedSettings({ ttl, loopWait, retryTimeout }: PatroniTimes, synchronous: boolean): object {
  return {
    ttl,
    loop_wait: loopWait,
    retry_timeout: retryTimeout,
    // An acceptance is told when a standby has it too; only such a standby is promoted.
    synchronous_mode: synchronous,
    postgresql: {
      use_pg_rewind: true,
      parameters: { max_connections: 100, shared_buffers: '64MB', wal_keep_size: '256MB' },
    },
  };
}

/** @returns HAProxy's configuration: connections lead to the node whose Patroni says that it is the primary */
export function haproxySettings(port: number, nodes: readonly NodePorts[]): string {
  const servers = nodes.map(
    ({ postgres, patroni }, index) =>
      `  server node${index + 1} 127.0.0.1:${postgres} check port ${patroni} inter 1s fall 2 rise 1 on-marked-down shutdown-sessions`,
  );
  return `global
  maxconn 500
defaults
  mode tcp
  timeout connect 2s
  timeout client 1h
  timeout server 1h
  timeout check 2s
listen primary
  bind 127.0.0.1:${port}
  option httpchk GET /primary
  http-check expect status 200
  option clitcpka
  option srvtcpka
${servers.join('\n')}
`;
}
