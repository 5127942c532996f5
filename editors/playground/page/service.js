// Where answers come from: the program that serves this page, or what was found when the page was built.

/// Asks `tessera playground`. The key is the part of the address behind `#`, which no server sees.
export class LiveAnswers {
  constructor(token) {
    this.token = token;
    this.live = true;
  }

  async load() {}

  async answer(kind, question) {
    let reply;
    try {
      reply = await fetch(`api/${kind}`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-Tessera-Token": this.token },
        body: JSON.stringify(question),
      });
    } catch {
      return { failure: "`tessera playground` does not answer; has it ended?" };
    }
    return reply.ok ? reply.json() : { failure: (await reply.text()).trim() };
  }
}

/// What the examples were answered, for pages without a compiler. The keys are those of Playground.cpp.
export class FoundAnswers {
  constructor() {
    this.live = false;
    this.found = { texts: [], answers: {} };
  }

  async load(name) {
    const reply = await fetch(`answers/${name}.json`);
    this.found = reply.ok ? await reply.json() : { texts: [], answers: {} };
  }

  async answer(kind, { text, target, level, function: name }) {
    const index = this.found.texts.indexOf(text);
    const key = [index, kind, target, level, name].filter((word) => word !== undefined && word !== "").join(" ");
    if (kind === "ask") return {};
    return this.found.answers[key] ?? { absent: true, failure: "This page has no compiler: it knows the examples as they are, and after each fix. `tessera playground` on your machine answers the rest." };
  }
}
