import type { DeviceToken } from '../../../src/device/device-token.ts';
import type {
  HistoryEntry,
  HistoryOutcome,
  StoredToken,
  Vault,
  VaultSettings,
  VaultState,
} from '../vault/vault.ts';
export class MemoryVault implements Vault {
  state: VaultState = 'open';
  #l = new Set<() => void>();
  #t: StoredToken[] = [];
  #h: HistoryEntry[] = [];
  #s: VaultSettings = { lockAfterMinutes: 5, wipeAfterWrongPins: null, requireCallback: true };
  subscribe(l: () => void): () => void {
    this.#l.add(l);
    return () => this.#l.delete(l);
  }
  lock(): void {
    this.state = 'locked';
    this.#l.forEach((l) => l());
  }
  open(): void {
    this.state = 'open';
    this.#l.forEach((l) => l());
  }
  async listTokens(): Promise<readonly StoredToken[]> {
    return this.#t;
  }
  async saveToken(token: DeviceToken): Promise<void> {
    const old = this.#t.find((s) => s.token.serial === token.serial);
    this.#t = [
      ...this.#t.filter((s) => s !== old),
      { token, name: old?.name ?? token.serial, addedAt: old?.addedAt ?? Date.now() },
    ];
  }
  async renameToken(serial: string, name: string): Promise<void> {
    this.#t = this.#t.map((s) => (s.token.serial === serial ? { ...s, name } : s));
  }
  async removeToken(serial: string): Promise<void> {
    this.#t = this.#t.filter((s) => s.token.serial !== serial);
  }
  async addHistory(e: HistoryEntry): Promise<void> {
    this.#h = [e, ...this.#h];
  }
  async updateHistory(id: string, outcome: HistoryOutcome): Promise<void> {
    this.#h = this.#h.map((e) => (e.id === id ? { ...e, outcome } : e));
  }
  async listHistory(): Promise<readonly HistoryEntry[]> {
    return this.#h;
  }
  async settings(): Promise<VaultSettings> {
    return this.#s;
  }
  async changeSettings(c: Partial<VaultSettings>): Promise<void> {
    this.#s = { ...this.#s, ...c };
  }
}
