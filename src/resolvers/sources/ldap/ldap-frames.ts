import { LdapFault } from './ldap-fault.ts';

const SEQUENCE = 0x30;
const LONG_FORM = 0x80;
const MAX_LENGTH_OCTETS = 4;
const MAX_FRAME_BYTES = 4 * 1024 * 1024;

/**
 * Splits a server's bytes into LDAP messages (BER sequences, RFC 4511 §5.1). It reads each byte once and keeps at most
 * one incomplete message.
 */
export class LdapFrames {
  #pieces: Buffer[] = [];
  #held = 0;
  /** The size of the next message in bytes, once its header has arrived. */
  #expectedLength: number | undefined;

  /** An incomplete message is buffered. */
  get hasRest(): boolean {
    return this.#held > 0;
  }

  /**
   * @returns the messages that are complete now.
   * @throws LdapFault for bytes that are not LDAP, or too large a message
   */
  *add(chunk: Buffer): Generator<Buffer> {
    this.#pieces.push(chunk);
    this.#held += chunk.length;
    for (;;) {
      this.#expectedLength ??= this.#readHead();
      if (this.#expectedLength === undefined || this.#held < this.#expectedLength) {
        return;
      }
      const whole = this.#join();
      const frame = whole.subarray(0, this.#expectedLength);
      const rest = whole.subarray(this.#expectedLength);
      this.#pieces = rest.length > 0 ? [rest] : [];
      this.#held = rest.length;
      this.#expectedLength = undefined;
      yield frame;
    }
  }

  #join(): Buffer {
    const [first] = this.#pieces;
    const whole = this.#pieces.length === 1 && first !== undefined ? first : Buffer.concat(this.#pieces);
    this.#pieces = [whole];
    return whole;
  }

  #readHead(): number | undefined {
    const head = this.#held === 0 ? Buffer.alloc(0) : this.#join();
    const [tag, length] = head;
    if (tag === undefined) {
      return undefined;
    }
    if (tag !== SEQUENCE) {
      throw new LdapFault('lost', 'the server answers with something that is not LDAP');
    }
    if (length === undefined || length < LONG_FORM) {
      return length === undefined ? undefined : 2 + length;
    }
    const octets = length - LONG_FORM;
    if (octets < 1 || octets > MAX_LENGTH_OCTETS) {
      throw new LdapFault('lost', 'the server answers with something that is not LDAP');
    }
    return head.length < 2 + octets ? undefined : assertSize(2 + octets + head.readUIntBE(2, octets));
  }
}

function assertSize(size: number): number {
  if (size > MAX_FRAME_BYTES) {
    throw new LdapFault('lost', `the server sends an answer of more than ${MAX_FRAME_BYTES} bytes`);
  }
  return size;
}
