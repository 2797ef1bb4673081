extension Motivation {
    /// From Lao Tzu to Marcus Aurelius.
    static let ancientQuotes: [Quote] = [
        Quote(
            "The journey of a thousand li commenced with a single step.",
            by: "Lao Tzu", in: "Tao Te Ching, 64, translated by James Legge"),
        Quote(
            "He who overcomes others is strong; he who overcomes himself is mighty.",
            by: "Lao Tzu", in: "Tao Te Ching, 33, translated by James Legge"),
        Quote(
            "If there want but one basket of earth to complete the work, and I stop, the stopping is my own work.",
            by: "Confucius", in: "Analects, 9.18, translated by James Legge"),
        Quote(
            "To have faults and not to reform them, this, indeed, should be pronounced having faults.",
            by: "Confucius", in: "Analects, 15.29, translated by James Legge"),
        Quote(
            "Men must be decided on what they will not do, and then they are able to act with vigour in what they "
                + "ought to do.",
            by: "Mencius", in: "Mencius, 4B.8, translated by James Legge"),
        Quote(
            "Whoever does not gather half-steps cannot travel a thousand li.",
            by: "Xunzi", in: "Xunzi, 1, An Exhortation to Learning"),
        Quote(
            "Know the other and know yourself, and in a hundred battles you will not be in danger.",
            by: "Sun Tzu", in: "The Art of War, 3"),
        Quote(
            "If you put little upon little and do this often, soon it will be much.",
            by: "Hesiod", in: "Works and Days, 361–362"),
        Quote(
            "Whoever does not expect the unexpected will not find it.",
            by: "Heraclitus", in: "Fragments, Diels–Kranz B 18"),
        Quote("Learning comes by suffering.", by: "Aeschylus", in: "Agamemnon, 177"),
        Quote("Great things are won at great risk.", by: "Herodotus", in: "Histories, 7.50"),
        Quote(
            "Life is short, and the Art long; the occasion fleeting; experience fallacious, and judgment difficult.",
            by: "Hippocrates", in: "Aphorisms, 1.1, translated by Francis Adams"),
        Quote(
            "The beginning is the most important part of any work.",
            by: "Plato", in: "The Republic, 377a, translated by Benjamin Jowett"),
        Quote(
            "What we have to learn in order to do it, we learn by doing it.",
            by: "Aristotle", in: "Nicomachean Ethics, 1103a"),
        Quote(
            "Nothing is so difficult that it cannot be found out by seeking.",
            by: "Terence", in: "The Self-Tormentor, 675"),
        Quote("It is a bad plan that cannot be changed.", by: "Publilius Syrus", in: "Sentences"),
        Quote("We are not born for ourselves alone.", by: "Cicero", in: "On Duties, 1.22"),
        Quote("They can because they think they can.", by: "Virgil", in: "Aeneid, 5.231"),
        Quote("Hold out, and save yourselves for better days.", by: "Virgil", in: "Aeneid, 1.207"),
        Quote(
            "Half the deed is done by him who has begun; dare to be wise: begin!",
            by: "Horace", in: "Epistles, 1.2.40"),
        Quote("A drop hollows out the stone.", by: "Ovid", in: "Letters from the Black Sea, 4.10.5"),
        Quote(
            "It is not because things are difficult that we do not dare; it is because we do not dare that they "
                + "are difficult.",
            by: "Seneca", in: "Letters to Lucilius, 104.26"),
        Quote(
            "To one who does not know what harbour he is making for, no wind is the right one.",
            by: "Seneca", in: "Letters to Lucilius, 71.3"),
        Quote(
            "It is not that we have little time, but that we lose much.",
            by: "Seneca", in: "On the Shortness of Life, 1.3"),
        Quote("Long is the way by precepts, short and sure by examples.", by: "Seneca", in: "Letters to Lucilius, 6.5"),
        Quote(
            "Writing quickly does not make one write well; writing well makes one write quickly.",
            by: "Quintilian", in: "The Orator’s Education, 10.3.10"),
        Quote(
            "The mind does not need filling like a vessel; like wood, it needs only kindling.",
            by: "Plutarch", in: "On Listening, 48c"),
        Quote(
            "No great thing is created suddenly, any more than a bunch of grapes or a fig.",
            by: "Epictetus", in: "Discourses, 1.15, translated by Thomas Wentworth Higginson"),
        Quote(
            "Men are disturbed not by things, but by the views which they take of things.",
            by: "Epictetus", in: "Enchiridion, 5, translated by Thomas Wentworth Higginson"),
        Quote(
            "That which is an obstacle on the road helps us on this road.",
            by: "Marcus Aurelius", in: "Meditations, 5.20, translated by George Long"),
        Quote(
            "No longer talk at all about the kind of man that a good man ought to be, but be such.",
            by: "Marcus Aurelius", in: "Meditations, 10.16, translated by George Long"),
    ]
}
