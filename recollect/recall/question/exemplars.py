"""Example questions of each kind, in seven languages, and how like them a question is.

They name everyday things of many sorts, so that what a question is *about* says little and how it asks says more. What
all of them share is taken out of every vector before it is compared.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from recollect.providers.base import Embedder, Vectors

_NEAREST = 3  # one example alone is near for its topic; three are near for how they ask

EXEMPLARS: Mapping[str, tuple[str, ...]] = {
    "lookup": (
        "What is the phone number of the dentist?",
        "What's the API key for the payment service?",
        "my shoe size",
        "Where do I keep the spare keys?",
        "Which port does the server use?",
        "Who is the owner of this repository?",
        "the name of Ben's dog",
        "How many people work in the team?",
        "What is Ana's favourite colour?",
        "the address of the office",
        "wifi password of the guest network",
        "Does Ana eat meat?",
        "Wie lautet die Telefonnummer vom Zahnarzt?",
        "Wo liegt der Ersatzschlüssel?",
        "Wie heißt der Hund von Ben?",
        "¿Cuál es el número de teléfono del dentista?",
        "¿Dónde están las llaves?",
        "¿Cómo se llama el perro de Ben?",
        "Quel est le numéro de téléphone du dentiste ?",
        "Où sont les clés ?",
        "Comment s'appelle le chien de Ben ?",
        "Qual é o número de telefone do dentista?",
        "Onde estão as chaves?",
        "Qual é o nome do cachorro do Ben?",
        "Qual è il numero di telefono del dentista?",
        "Dove sono le chiavi?",
        "Come si chiama il cane di Ben?",
        "Какой номер телефона у врача?",
        "Где лежат ключи?",
    ),
    "exploratory": (
        "Tell me about the billing project",
        "What do we know about deployment?",
        "Everything on our holiday plans",
        "Give me an overview of the architecture",
        "Summarize what was said about the new office",
        "What are Ana's hobbies and interests?",
        "Can you suggest something for dinner?",
        "Any ideas for a present?",
        "I would like to learn more about gardening",
        "Bring me up to speed on the migration",
        "Recommend me a book for the weekend",
        "What kind of person is Ben?",
        "Erzähl mir etwas über das Projekt",
        "Was wissen wir über die Architektur?",
        "Hast du Ideen für das Abendessen?",
        "Cuéntame algo sobre el proyecto",
        "¿Qué sabemos de la arquitectura?",
        "¿Me recomiendas algo para cenar?",
        "Parle-moi du projet",
        "Que savons-nous de l'architecture ?",
        "Tu as des idées pour le dîner ?",
        "Fala-me do projeto",
        "O que sabemos da arquitetura?",
        "Tens ideias para o jantar?",
        "Parlami del progetto",
        "Che cosa sappiamo dell'architettura?",
        "Hai idee per la cena?",
        "Расскажи о проекте",
        "Что мы знаем об архитектуре?",
    ),
    "comparative": (
        "How does our setup differ from the old one?",
        "Compare the two offers",
        "React vs Vue",
        "What is the difference between the plans?",
        "Is the train better than the car?",
        "Which of the two is cheaper?",
        "similarities between Ana and Ben",
        "pros and cons of both databases",
        "tea or coffee, which do I like more?",
        "Was ist der Unterschied zwischen den Angeboten?",
        "Vergleiche die zwei Pläne",
        "Ist der Zug besser als das Auto?",
        "¿Cuál es la diferencia entre las ofertas?",
        "Compara los dos planes",
        "¿Es mejor el tren que el coche?",
        "Quelle est la différence entre les offres ?",
        "Compare les deux plans",
        "Le train est-il mieux que la voiture ?",
        "Qual é a diferença entre as propostas?",
        "Compara os dois planos",
        "O comboio é melhor do que o carro?",
        "Qual è la differenza tra le offerte?",
        "Confronta i due piani",
        "Il treno è meglio della macchina?",
        "В чём разница между предложениями?",
        "Сравни два плана",
    ),
    "temporal": (
        "When did we move to the new office?",
        "What happened last week?",
        "What did I do yesterday?",
        "the date of the next appointment",
        "How has the design changed over time?",
        "latest changes to the budget",
        "in which month did Ana start the course?",
        "How long ago was the release?",
        "events of March 2023",
        "what came first, the wedding or the exam?",
        "How many days between the order and the delivery?",
        "Wann sind wir umgezogen?",
        "Was ist letzte Woche passiert?",
        "Was habe ich gestern gemacht?",
        "¿Cuándo nos mudamos?",
        "¿Qué pasó la semana pasada?",
        "¿Qué hice ayer?",
        "Quand avons-nous déménagé ?",
        "Que s'est-il passé la semaine dernière ?",
        "Qu'ai-je fait hier ?",
        "Quando nos mudámos?",
        "O que aconteceu na semana passada?",
        "O que fiz ontem?",
        "Quando ci siamo trasferiti?",
        "Che cosa è successo la settimana scorsa?",
        "Che cosa ho fatto ieri?",
        "Когда мы переехали?",
        "Что случилось на прошлой неделе?",
    ),
    "procedural": (
        "How do I deploy to staging?",
        "How can I reset my password?",
        "steps to set up the laptop",
        "Walk me through the release process",
        "What do I need to do to renew the passport?",
        "guide to baking bread",
        "How to fix the printer",
        "the way we usually roll back a migration",
        "instructions for the coffee machine",
        "How should I configure the proxy?",
        "Wie setze ich das Passwort zurück?",
        "Wie richte ich den Drucker ein?",
        "Anleitung für die Kaffeemaschine",
        "¿Cómo restablezco la contraseña?",
        "¿Cómo se instala la impresora?",
        "pasos para preparar el pan",
        "Comment réinitialiser le mot de passe ?",
        "Comment installer l'imprimante ?",
        "les étapes pour faire du pain",
        "Como redefino a senha?",
        "Como se instala a impressora?",
        "passos para fazer pão",
        "Come reimposto la password?",
        "Come si installa la stampante?",
        "i passaggi per fare il pane",
        "Как сбросить пароль?",
        "Как настроить принтер?",
    ),
    "causal": (
        "Why did the login break?",
        "What caused the outage?",
        "the reason for the delay",
        "Why does Ana avoid milk?",
        "What led to the decision to leave?",
        "How come the tests fail?",
        "What is behind the drop in sales?",
        "explain the cause of the crash",
        "what is to blame for the late delivery?",
        "consequence of the change",
        "Warum ist der Server ausgefallen?",
        "Was war die Ursache der Störung?",
        "Weshalb hat Ana gekündigt?",
        "¿Por qué se cayó el servidor?",
        "¿Cuál fue la causa del fallo?",
        "¿Por qué renunció Ana?",
        "Pourquoi le serveur est-il tombé ?",
        "Quelle est la cause de la panne ?",
        "Pourquoi Ana a-t-elle démissionné ?",
        "Por que o servidor caiu?",
        "Qual foi a causa da falha?",
        "Por que é que a Ana se demitiu?",
        "Perché il server è caduto?",
        "Qual è stata la causa del guasto?",
        "Perché Ana si è licenziata?",
        "Почему упал сервер?",
        "В чём причина сбоя?",
    ),
}


class Examples(NamedTuple):
    """The examples as unit vectors, one block of rows per kind, and the direction they share."""

    shared: Vectors
    blocks: Mapping[str, Vectors]


_embedded: dict[str, Examples] = {}  # by the embedder's name: the same name means the same vectors


def likeness(embedder: Embedder, text: str) -> dict[str, float]:
    """By kind, the mean cosine between a text and its nearest examples. Fails as the embedder fails."""
    examples = _embedded.get(embedder.name)
    if examples is None:  # two threads may both come here; they store the same
        examples = _embedded[embedder.name] = _embed_all(embedder)
    vector = _unit(embedder.embed([text]) - examples.shared)[0]
    return {
        kind: float(np.partition(rows @ vector, -_NEAREST)[-_NEAREST:].mean()) for kind, rows in examples.blocks.items()
    }


def _embed_all(embedder: Embedder) -> Examples:
    blocks = {kind: embedder.embed(texts) for kind, texts in EXEMPLARS.items()}
    shared = np.concatenate(list(blocks.values())).mean(axis=0)
    return Examples(shared, {kind: _unit(rows - shared) for kind, rows in blocks.items()})


def _unit(rows: Vectors) -> Vectors:
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths > 0, lengths, 1), dtype=np.float32)
