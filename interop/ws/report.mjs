// What a script prints: a line of JSON for each step, with its name and either
// "error", which is that of the script, or some of what the server sent:
// "frames", the texts of its messages; "close", the code and reason it closed
// with; "status" and "headers" of an answer to a handshake.

/** Runs one step and prints what came of it. Frames may be given alone. */
export async function step(name, run) {
  try {
    const result = await run();
    print({ step: name, ...(Array.isArray(result) ? { frames: result } : result) });
  } catch (e) {
    print({ step: name, error: e.stack });
  }
}

export function print(line) {
  process.stdout.write(JSON.stringify(line) + '\n');
}
